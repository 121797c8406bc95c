// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.compare.ComparisonTable.Cell;
import io.signalbox.printing.page.ComparisonPage;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.workload.WorkloadPreset;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The page of a comparison with planted figures: factors, intervals, and their words. */
class PlantedComparisonPageTest
{
    private static final Pattern INTERVAL = Pattern.compile("\"ln st-quiet\" d=\"M([0-9.-]+) [0-9.]+H([0-9.-]+)\"");

    /** The routers default and lmetric with these values of one figure, one per seed; all other figures are 0. */
    private static String page(final Figure figure, final double[] first, final double[] second)
    {
        final ComparisonConfig plan = new ComparisonConfig(
            List.of(SeededWorkload.generated("w", WorkloadPreset.CONVERSATIONS::builder)), List.of(100),
            List.of(RouterConfig.of("default"), RouterConfig.of("lmetric")), 1, first.length,
            SchedulerConfig.builder().build(), SimulationConfig.DEFAULT);
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
        return ComparisonPage.html(plan, table.cells(), "signalbox compare");
    }

    @Test
    void shouldShowARateAsAPartOfTheBest()
    {
        final String half =
            page(Figure.OUTPUT_TOKENS_PER_SECOND, new double[] {1000, 1000}, new double[] {500, 500});
        assertTrue(half.contains("lmetric: 500.0, 0.500 of the best"), half);
        assertTrue(half.contains("class=\"h4\" title=\"500.0\">0.500</td>") || half.contains(
            "class=\"h4 first\" title=\"500.0\">0.500</td>"), half);
        assertTrue(half.contains(">\u221220 %<"), half);
        assertFalse(half.contains("500.0, 2.00 times the best"), half);

        final String hundredth =
            page(Figure.OUTPUT_TOKENS_PER_SECOND, new double[] {1000, 1000}, new double[] {10, 10});
        assertTrue(hundredth.contains("0.0100 of the best"), hundredth);
    }

    @Test
    void shouldDrawAWholeInterval()
    {
        final String page = page(Figure.TTFT_P99, new double[] {100, 100, 100}, new double[] {100, 120, 110});
        final Matcher interval = INTERVAL.matcher(page);
        assertTrue(interval.find(), page);
        assertTrue(Double.parseDouble(interval.group(1)) > 0, interval.group());
        assertTrue(Double.parseDouble(interval.group(2)) < 2000 * 0.97, interval.group());
        assertFalse(page.contains(">\u25c2<") || page.contains(">\u25b8<"), "an arrow without need");
    }

    @Test
    void shouldMarkAndExplainAnIntervalThatLeavesThePlot()
    {
        final String page = page(Figure.TTFT_P99, new double[] {100, 100}, new double[] {100, 1600});
        final Matcher interval = INTERVAL.matcher(page);
        assertTrue(interval.find(), page);
        assertEquals(List.of("0", "1940"), List.of(interval.group(1), interval.group(2)));
        assertTrue(page.contains(">\u25c2<") && page.contains(">\u25b8<"), page);
        assertTrue(page.contains("lmetric cannot be told apart from default; lmetric has 8.5 times its TTFT p99 on " +
            "average, but seeds differ so much that the 95 % interval, \u221287 to 104 times, includes 1."), page);
    }
}
