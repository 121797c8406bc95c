// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.compare.ComparisonTable.Cell;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.workload.WorkloadPreset;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ComparisonTableTest
{
    /** Two routers with these values of one figure; all others are equal. */
    private static List<ComparisonCell> cells(final Figure figure, final double[] first, final double[] second)
    {
        final ComparisonConfig plan = new ComparisonConfig(
            List.of(SeededWorkload.generated("w", WorkloadPreset.CONVERSATIONS::builder)), List.of(100),
            List.of(RouterConfig.of("default"), RouterConfig.of("lmetric")), 1, first.length,
            SchedulerConfig.builder().build(),
            SimulationConfig.DEFAULT);
        final ComparisonTable table = new ComparisonTable(plan);
        for (int seed = 0; seed < first.length; seed++)
        {
            for (int router = 0; router < 2; router++)
            {
                final double[] figures = new double[Figure.values().length];
                figures[figure.ordinal()] = router == 0 ? first[seed] : second[seed];
                table.put(new Cell(0, 0, router, seed), figures);
            }
        }
        return table.cells();
    }

    @Test
    void shouldPreferLessOfALatencyAndMoreOfAThroughput()
    {
        final double[] low = {1.0, 2.0};
        final double[] high = {10.0, 20.0};
        assertTrue(cells(Figure.TTFT_P99, low, high).get(0).isBest(Figure.TTFT_P99));
        assertFalse(cells(Figure.TTFT_P99, low, high).get(1).isBest(Figure.TTFT_P99));
        assertTrue(cells(Figure.COMPLETED, low, high).get(1).isBest(Figure.COMPLETED));
        assertFalse(cells(Figure.COMPLETED, low, high).get(0).isBest(Figure.TTFT_P99), "equal everywhere");
    }

    @Test
    void shouldJudgeDifferencesSeedBySeed()
    {
        // The figures vary by hundreds from seed to seed, the difference hardly at all.
        final ComparisonCell told =
            cells(Figure.TTFT_P50, new double[] {100, 300, 500}, new double[] {101, 301.1, 500.9}).get(1);
        assertTrue(told.estimate(Figure.TTFT_P50).halfWidth() > 400);
        assertFalse(told.isLevelWithBest(Figure.TTFT_P50));
        final List<ComparisonCell> level =
            cells(Figure.TTFT_P50, new double[] {100, 300, 500}, new double[] {110, 305, 490});
        assertTrue(level.get(1).isLevelWithBest(Figure.TTFT_P50));
        assertFalse(level.get(0).isLevelWithBest(Figure.TTFT_P50));
        assertTrue(level.get(0).isBest(Figure.TTFT_P50));
    }

    @Test
    void shouldPreferNothingToWhatWasNotMeasured()
    {
        final List<ComparisonCell> cells =
            cells(Figure.TPOT_P50, new double[] {Double.NaN, 1}, new double[] {5, 6});
        assertTrue(Double.isNaN(cells.get(0).estimate(Figure.TPOT_P50).mean()));
        assertEquals(List.of(false, false), cells.stream().map(cell -> cell.isBest(Figure.TPOT_P50)).toList());
        assertFalse(cells.get(0).isLevelWithBest(Figure.TPOT_P50));
    }
}
