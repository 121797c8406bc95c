// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.cost.CostFile;
import io.signalbox.cost.PartFit;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.journal.GroupSource;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.StateStart;
import io.signalbox.state.RunFold;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Fits a step cost to the steps of a journal.
 *
 * @param steps              steps with results.
 * @param medianErrorPercent median of the absolute errors of step times.
 * @param explained          share of the variance of step times that the cost explains, up to 1 (R²).
 */
public record JournalCost(CostFile file, long steps, double medianErrorPercent, double explained)
{
    private static final int MOST_SAMPLES = 1 << 9;
    private static final double DEVIATION = 3.0;
    private static final double NOISE = 0.1;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double[] MICROS = {1000, 10, 20, 0.02};

    /** @throws io.signalbox.journal.JournalException if the journal is damaged. */
    public static JournalCost of(final Path journal, final ReadProgress progress)
    {
        try (StateStart kept = StateStart.of(journal, progress))
        {
            final ServedStepCost start = ServedStepCost.linear("steps of " + journal.getFileName(), MICROS)
                .withPromptStep(1);
            final Collector collector = new Collector(start);
            final GroupSource groups = GroupSource.ahead(kept.reader());
            try
            {
                read(groups, RunFold.of(collector).behind(kept.state()));
            }
            finally
            {
                groups.stop();
            }
            if (collector.samples.isEmpty())
            {
                throw new ConfigException("the journal " + journal + " has no step with results; give the journal of a " +
                    "longer run.");
            }
            return collector.fit(start);
        }
    }

    private static void read(final GroupSource groups, final RunFold fold)
    {
        while (groups.next())
        {
            try
            {
                fold.onGroup(groups.group(), 0, groups.groupLength());
            }
            catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException |
                NullPointerException | InvariantViolation e)
            {
                throw groups.undecodable(e);
            }
        }
    }

    /** A step: milliseconds by part, and measured. */
    private record Sample(double[] parts, double millis)
    {
        private double predicted(final double[] scales)
        {
            return IntStream.range(0, parts.length).mapToDouble(i -> parts[i] * scales[i]).sum();
        }
    }

    /** Keeps steps at even distances. */
    private static final class Collector extends StepParts
    {
        private final List<Sample> samples = new ArrayList<>();
        private long steps;
        private long stride = 1;
        private int longestContext;
        private int mostEntries;

        private Collector(final ServedStepCost cost)
        {
            super(cost);
        }

        @Override
        protected void onMeasured(final int rank, final Step step)
        {
            if (step.entries() == 0 || step.nanos() <= 0)
            {
                return;
            }
            longestContext = Math.max(longestContext, step.longestContext());
            mostEntries = Math.max(mostEntries, step.entries());
            if (steps++ % stride == 0)
            {
                samples.add(new Sample(Arrays.stream(step.parts()).map(nanos -> nanos / NANOS_PER_MILLI).toArray(),
                    step.nanos() / NANOS_PER_MILLI));
                if (samples.size() == MOST_SAMPLES)
                {
                    final List<Sample> every = List.copyOf(samples);
                    samples.clear();
                    IntStream.range(0, MOST_SAMPLES / 2).forEach(i -> samples.add(every.get(2 * i)));
                    stride *= 2;
                }
            }
        }

        private JournalCost fit(final ServedStepCost start)
        {
            // The fit begins where the typical step has its measured time.
            final double ratio = median(samples.stream().mapToDouble(each ->
                each.millis / Arrays.stream(each.parts).sum()).toArray());
            final PartFit fit = new PartFit(DEVIATION, NOISE);
            samples.forEach(each -> fit.add(Arrays.stream(each.parts).map(part -> part * ratio).toArray(), each.millis));
            final double[] scales = Arrays.stream(fit.scales()).map(scale -> scale * ratio).toArray();
            final double error = median(samples.stream().mapToDouble(each ->
                100 * Math.abs(each.predicted(scales) / each.millis - 1)).toArray());
            return new JournalCost(new CostFile(start.scaled(scales), longestContext, mostEntries), steps, error,
                explained(scales));
        }

        private double explained(final double[] scales)
        {
            final double mean = samples.stream().mapToDouble(Sample::millis).average().orElse(0);
            double rest = 0;
            double all = 0;
            for (final Sample each : samples)
            {
                rest += Math.pow(each.millis - each.predicted(scales), 2);
                all += Math.pow(each.millis - mean, 2);
            }
            return all == 0 ? 1 : 1 - rest / all;
        }

        private static double median(final double[] values)
        {
            Arrays.sort(values);
            final int half = values.length / 2;
            return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
        }
    }
}
