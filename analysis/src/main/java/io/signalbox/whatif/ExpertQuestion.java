// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.ConfigException;
import io.signalbox.ConfigException.Named;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.whatif.ExpertFigures.HotExpert;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Counts the tokens of each expert in re-runs, with the recorded experts of the tokens that they compute. */
final class ExpertQuestion
{
    private static final int MOST_HOTTEST = 10;

    private final RecordedExperts rows;
    private final ModelShape shape;
    private final int devices;

    /** Tokens per layer and expert of one run. */
    private static final class Load
    {
        private final long[] counts;
        private long tokens;

        private Load(final ModelShape shape)
        {
            counts = new long[shape.moeLayers() * shape.experts()];
        }
    }

    /** @throws ConfigException if there is no device, or a layer has fewer experts than there are devices. */
    ExpertQuestion(final RecordedExperts rows, final ModelShape shape, final int devices)
    {
        if (devices < 1 || devices > shape.experts())
        {
            throw ConfigException.because(new Named("expertDevices", Integer.toString(devices)),
                    " is not between 1 and the " + shape.experts() + " experts of a layer")
                .allowed("1 to " + shape.experts())
                .remedy("give a number in that range");
        }
        this.rows = rows;
        this.shape = shape;
        this.devices = devices;
    }

    /** @param runs the unchanged one first. */
    List<ExpertFigures> answer(final List<ComputedTokens> runs)
    {
        final List<Load> loads = new ArrayList<>();
        runs.forEach(run -> loads.add(new Load(shape)));
        rows.forEach((requestId, experts) ->
        {
            final short[] ids = experts.ids();
            for (int run = 0; run < loads.size(); run++)
            {
                for (final long span : runs.get(run).of(requestId))
                {
                    add(loads.get(run), experts, ids, (int)(span >> Integer.SIZE), (int)span);
                }
            }
        });
        final int[] balancedBefore = ExpertPlacement.balanced(shape, devices, loads.get(0).counts);
        final List<ExpertFigures> figures = new ArrayList<>();
        for (int run = 0; run < loads.size(); run++)
        {
            figures.add(figures(loads.get(run), runs.get(run).count(), balancedBefore));
        }
        return figures;
    }

    private void add(final Load load, final RoutedExperts experts, final short[] ids, final int start, final int end)
    {
        final int last = Math.min(end, experts.start() + experts.rows());
        final int width = shape.moeLayers() * shape.topK();
        for (int position = Math.max(start, experts.start()); position < last; position++)
        {
            final int row = position - experts.start();
            if (experts.state(row) == RoutedExperts.RowState.MISSING)
            {
                continue;
            }
            load.tokens++;
            for (int i = 0; i < width; i++)
            {
                load.counts[i / shape.topK() * shape.experts() + ids[row * width + i]]++;
            }
        }
    }

    private ExpertFigures figures(final Load load, final long computed, final int[] balancedBefore)
    {
        final long[] counts = load.counts;
        return new ExpertFigures(load.tokens, computed - load.tokens, hottest(load), devices,
            ExpertPlacement.busiestOverMean(shape, devices, counts, ExpertPlacement.inOrder(shape, devices)),
            ExpertPlacement.busiestOverMean(shape, devices, counts, ExpertPlacement.striped(shape, devices)),
            ExpertPlacement.busiestOverMean(shape, devices, counts, balancedBefore),
            ExpertPlacement.busiestOverMean(shape, devices, counts, ExpertPlacement.balanced(shape, devices, counts)));
    }

    private List<HotExpert> hottest(final Load load)
    {
        final double mean = (double)load.tokens * shape.topK() / shape.experts();
        return IntStream.range(0, load.counts.length).boxed().filter(place -> load.counts[place] > 0)
            .sorted(Comparator.<Integer>comparingLong(place -> -load.counts[place]).thenComparingInt(place -> place))
            .limit(MOST_HOTTEST).map(place -> new HotExpert(shape.layerId(place / shape.experts()),
                place % shape.experts(), load.counts[place], load.counts[place] / mean)).toList();
    }
}
