// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.ConfigException;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.report.RunReport;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ComparisonTest
{
    private static final List<RouterConfig> ROUTERS =
        DpRouters.installed().all().stream().map(RouterConfig::of).toList();
    private static final SchedulerConfig SCHEDULER =
        SchedulerConfig.builder().ranks(3).stepTokens(512).lockStep(true).build();

    private static SeededWorkload workload(final String name, final int systemPromptTokens)
    {
        return SeededWorkload.generated(name, () -> GeneratedWorkloadConfig.builder()
            .conversations(12)
            .arrivals(new Arrivals.Poisson(50.0))
            .systemPromptTokens(systemPromptTokens)
            .userTokens(new SizeDistribution.Lognormal(60.0, 1.0, 1, 400))
            .outputTokens(new SizeDistribution.Zipf(0.5, 2, 40))
            .meanThinkTimeNanos(100_000_000L)
            .maxContextTokens(1500));
    }

    private static ComparisonConfig plan(final SeededWorkload... workloads)
    {
        return new ComparisonConfig(
            List.of(workloads), List.of(120, 400), ROUTERS, 5, 3, SCHEDULER, SimulationConfig.DEFAULT);
    }

    @Test
    void shouldGiveTheSameRowsInTheSameOrderWhateverTheNumberOfWorkers()
    {
        final ComparisonConfig plan = plan(workload("small", 64), workload("large", 512));
        final List<ComparisonCell> one = Comparison.run(plan, 1, ComparisonProgress.NONE);
        final List<ComparisonCell> three = Comparison.run(plan, 3, ComparisonProgress.NONE);

        assertEquals(2 * 2 * ROUTERS.size(), one.size());
        assertEquals(one.size(), three.size());
        for (int i = 0; i < one.size(); i++)
        {
            assertEquals(i < one.size() / 2 ? "small" : "large", one.get(i).workload());
            assertEquals(i / ROUTERS.size() % 2 == 0 ? 120 : 400, one.get(i).kvBlocks());
            assertEquals(ROUTERS.get(i % ROUTERS.size()), one.get(i).router());
            for (final Figure figure : Figure.values())
            {
                assertArrayEquals(one.get(i).values(figure), three.get(i).values(figure));
                assertEquals(one.get(i).estimate(figure), three.get(i).estimate(figure));
                assertEquals(one.get(i).isBest(figure), three.get(i).isBest(figure));
            }
        }
    }

    @Test
    void shouldReportTheProgressOfARunThatIsUnderWay()
    {
        final ComparisonConfig single = new ComparisonConfig(List.of(workload("w", 64)), List.of(400),
            List.of(RouterConfig.standard()), 5, 1, SCHEDULER, SimulationConfig.DEFAULT);
        final List<Long> reached = new ArrayList<>();
        Comparison.run(single, 1, (parts, ended, total) ->
        {
            assertEquals(1, total);
            assertEquals(parts == ComparisonProgress.PARTS_PER_RUN ? 1 : 0, ended);
            reached.add(parts);
        });

        assertTrue(reached.size() > 10, reached::toString);
        assertEquals(reached.stream().sorted().distinct().toList(), reached);
        assertEquals(ComparisonProgress.PARTS_PER_RUN, reached.get(reached.size() - 1));
    }

    @Test
    void shouldSumTheProgressOfRunsAtTheSameTime()
    {
        final ComparisonConfig plan = plan(workload("w", 64));
        final List<Long> reached = new ArrayList<>();
        final List<Integer> ends = new ArrayList<>();
        Comparison.run(plan, 3, (parts, ended, total) ->
        {
            reached.add(parts);
            ends.add(ended);
            assertTrue((long)ended * ComparisonProgress.PARTS_PER_RUN <= parts, parts + " parts, " + ended + " ended");
        });

        assertEquals(reached.stream().sorted().distinct().toList(), reached);
        assertEquals((long)plan.cells() * ComparisonProgress.PARTS_PER_RUN, reached.get(reached.size() - 1));
        assertEquals(ends.stream().sorted().toList(), ends);
        assertEquals(plan.cells(), ends.get(ends.size() - 1));
    }

    @Test
    void shouldKeepTheFiguresOfEachRun()
    {
        final SeededWorkload workload = workload("w", 64);
        final List<ComparisonCell> cells = Comparison.run(plan(workload), 2, ComparisonProgress.NONE);
        final ComparisonCell cell = cells.get(ROUTERS.size() + 1);
        final SchedulerConfig config = SchedulerConfig.builder().ranks(3).stepTokens(512).lockStep(true)
            .router(cell.router()).kvBlocks(400).build();
        for (int i = 0; i < 3; i++)
        {
            final RunReport report = new Simulation(config, SimulationConfig.DEFAULT.withSeed(5 + i),
                workload.ofSeed().apply(5 + i)).run(SteppedEngine::new, null, SimulationProgress.NONE);
            assertEquals(report.latency().ttft().p90Nanos() / 1e6, cell.values(Figure.TTFT_P90)[i]);
            assertEquals(report.latency().tpot().p50Nanos() / 1e6, cell.values(Figure.TPOT_P50)[i]);
            assertEquals(report.prefixCache().tokenHitRate(), cell.values(Figure.TOKEN_HIT_RATE)[i]);
            assertEquals(report.requests().completed(), cell.values(Figure.COMPLETED)[i]);
            final double mean = report.steps().tokens() / 3.0;
            final long max = report.steps().tokensPerRank().stream().mapToLong(Long::longValue).max().orElseThrow();
            assertEquals(max / mean, cell.values(Figure.RANK_LOAD_MAX_OVER_MEAN)[i], 1e-12);
        }
        assertNotEquals(cell.values(Figure.TTFT_P90)[0], cell.values(Figure.TTFT_P90)[1]);
        assertEquals(Estimate.of(cell.values(Figure.TTFT_P90)), cell.estimate(Figure.TTFT_P90));
    }

    @Test
    void shouldMarkTheBestMeanOfEachColumnAndNoneWhereAllAreEqual()
    {
        final List<ComparisonCell> cells = Comparison.run(plan(workload("w", 512)), 2, ComparisonProgress.NONE);
        for (int first = 0; first < cells.size(); first += ROUTERS.size())
        {
            final List<ComparisonCell> table = cells.subList(first, first + ROUTERS.size());
            final double best =
                table.stream().mapToDouble(cell -> cell.estimate(Figure.TTFT_P50).mean()).min().orElseThrow();
            table.forEach(cell -> assertEquals(
                cell.estimate(Figure.TTFT_P50).mean() == best, cell.isBest(Figure.TTFT_P50), cell.router().label()));
            table.forEach(cell -> assertFalse(cell.isBest(Figure.REFUSED)));
        }
    }

    @Test
    void shouldRefuseAPoolThatARequestDoesNotFitBeforeAnyRun()
    {
        final ComparisonConfig plan = new ComparisonConfig(List.of(workload("w", 1000)), List.of(400, 20), ROUTERS, 1, 1,
            SCHEDULER, SimulationConfig.DEFAULT);
        final List<Integer> runs = new ArrayList<>();
        final String message = assertThrows(ConfigException.class,
            () -> Comparison.run(plan, 2, (parts, ended, total) -> runs.add(ended))).getMessage();
        assertTrue(message.contains("of the workload w ("), message);
        assertEquals(List.of(), runs);
    }

    @Test
    void shouldEndWithTheFaultOfAWorkload()
    {
        final SeededWorkload faulty = new SeededWorkload("faulty", seed ->
        {
            if (seed == 6)
            {
                throw new ConfigException("no workload of seed 6");
            }
            return workload("w", 64).ofSeed().apply(seed);
        });
        assertEquals("no workload of seed 6", assertThrows(ConfigException.class,
            () -> Comparison.run(plan(faulty), 3, ComparisonProgress.NONE)).getMessage());
    }

    @Test
    void shouldRefuseAPlanWithNothingOrTheSameTwice()
    {
        assertRefused("kvBlocks has 120 twice", () -> new ComparisonConfig(List.of(workload("w", 1)), List.of(120, 120),
            ROUTERS, 1, 1, SCHEDULER, SimulationConfig.DEFAULT));
        assertRefused("workloads has w twice", () -> plan(workload("w", 1), workload("w", 2)));
        assertRefused("workloads is empty", ComparisonTest::plan);
        assertRefused("seeds=0 is not between", () -> new ComparisonConfig(List.of(workload("w", 1)), List.of(120),
            ROUTERS, 1, 0, SCHEDULER, SimulationConfig.DEFAULT));
        assertRefused("workers=0", () -> Comparison.run(plan(workload("w", 1)), 0, ComparisonProgress.NONE));
    }

    private static void assertRefused(final String expected, final Runnable action)
    {
        final String message = assertThrows(ConfigException.class, action::run).getMessage();
        assertTrue(message.contains(expected), message);
    }
}
