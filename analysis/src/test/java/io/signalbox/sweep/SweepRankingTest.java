// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.compare.Figure;
import io.signalbox.sweep.SweepRanking.Ranked;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

class SweepRankingTest
{
    private static final List<Figure> FRONT = List.of(Figure.TTFT_P90, Figure.TPOT_P90, Figure.OUTPUT_TOKENS_PER_SECOND);
    /** A figure that no run measured. */
    private static final int NOTHING = 4;

    private static SweepRun[][] runs(final SweepPlan plan, final List<List<Integer>> figures)
    {
        final List<SweepCell> cells = plan.cells();
        final SweepRun[][] runs = new SweepRun[cells.size()][plan.seeds()];
        for (final SweepCell cell : cells)
        {
            for (int seed = 0; seed < plan.seeds(); seed++)
            {
                final double[] values = new double[Figure.values().length];
                for (int i = 0; i < FRONT.size(); i++)
                {
                    final int value = figures.get(cell.number()).get(i);
                    values[FRONT.get(i).ordinal()] = value == NOTHING ? Double.NaN : value + seed * 0.5;
                }
                runs[cell.number()][seed] = new SweepRun(cell.number(), cell.key(), plan.firstSeed() + seed, values);
            }
        }
        return runs;
    }

    private static SweepPlan plan(final int cells)
    {
        return SweepPlanTest.plan(
            Map.of("kv-blocks", IntStream.range(0, cells).mapToObj(Integer::toString).toList()), 0, Map.of());
    }

    /** The front is what its definition says, for every order of the cells; equal cells are on it together. */
    @Property
    void shouldFindTheCellsThatNoOtherOneBeats(
        @ForAll @Size(min = 1, max = 12) final List<@Size(3) List<@IntRange(max = NOTHING) Integer>> figures)
    {
        final SweepPlan plan = plan(figures.size());
        final List<Ranked> ranked = new SweepRanking(plan, runs(plan, figures)).ranked(FRONT);
        for (final Ranked each : ranked)
        {
            final List<Integer> own = figures.get(each.cell().number());
            final boolean beaten = figures.stream().anyMatch(other -> beats(other, own));
            assertEquals(!own.contains(NOTHING) && !beaten, each.isFront(), each.cell() + " of " + figures);
        }
        final double[] objective = ranked.stream().mapToDouble(each -> each.estimates()[Figure.TTFT_P90.ordinal()].mean())
            .filter(mean -> !Double.isNaN(mean)).toArray();
        final double[] sorted = objective.clone();
        Arrays.sort(sorted);
        assertEquals(Arrays.toString(sorted), Arrays.toString(objective));
    }

    private static boolean beats(final List<Integer> one, final List<Integer> other)
    {
        // A cell that did not measure a figure is worse than every other one in it.
        final boolean asGood = at(one, 0) <= at(other, 0) && at(one, 1) <= at(other, 1) && gain(one) >= gain(other);
        return asGood && (at(one, 0) < at(other, 0) || at(one, 1) < at(other, 1) || gain(one) > gain(other));
    }

    private static int at(final List<Integer> figures, final int place)
    {
        return figures.get(place);
    }

    private static int gain(final List<Integer> figures)
    {
        return figures.get(2) == NOTHING ? -1 : figures.get(2);
    }

    @Test
    void shouldCompareWithTheCellThatDiffersOnlyInTheBaseline()
    {
        final Map<String, List<String>> grid = new LinkedHashMap<>();
        grid.put("router", List.of("a", "b"));
        grid.put("kv-blocks", List.of("1", "2"));
        final SweepPlan plan = SweepPlanTest.plan(grid, 0, Map.of("router", "b"));
        final SweepRun[][] runs = runs(
            plan, List.of(List.of(1, 0, 0), List.of(5, 0, 0), List.of(3, 0, 0), List.of(2, 0, 0)));
        final List<Ranked> ranked = new SweepRanking(plan, runs).ranked(FRONT);
        assertEquals(List.of(0, 3, 2, 1), ranked.stream().map(each -> each.cell().number()).toList());
        assertEquals(-2.0, ranked.get(0).difference().mean());
        assertEquals(0.0, ranked.get(0).difference().halfWidth());
        assertNull(ranked.get(1).difference());
        assertEquals(3.0, ranked.get(3).difference().mean());
    }
}
