// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.cost.CostFile;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import io.signalbox.sim.StepResiduals;
import io.signalbox.whatif.WhatIfReport.TimesVerdict;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Verdicts on journals whose backend does not say what its steps cost: they are simulated, and the journal hides that. */
class ReRunTimesTest
{
    private static final SchedulerConfig CONFIG = SchedulerConfig.builder().ranks(2).kvBlocks(3000).build();
    private static final StepCost COST = new StepCost(4_000_000, 20_000, 500_000, 1_000_000);

    private static MemoryGroups noisy;

    private static Workload workload()
    {
        return GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(30).build());
    }

    /** Steps of a real engine: slower in the first seconds, then most near their cost, some much longer. */
    private static SimulationConfig noisyCosts(final double ofFirst)
    {
        final SplitMix64 random = new SplitMix64(7);
        final List<StepResiduals.RecordedStep> steps = new ArrayList<>();
        for (int i = 0; i < 40_000; i++)
        {
            final double factor = StrictMath.exp(0.15 * random.nextGaussian()) * (i % 40 == 0 ? 8 : 1);
            steps.add(new StepResiduals.RecordedStep(i * 5_000_000L, i % 2 == 0, i < 1000 ? ofFirst * factor : factor));
        }
        return SimulationConfig.DEFAULT.withStepCost(COST).withD2hDelay(new D2hDelay(30_000, 0, 0))
            .withResiduals(StepResiduals.of(steps));
    }

    private static MemoryGroups journal(final SimulationConfig costs)
    {
        final Map<String, String> settings = new TreeMap<>(CONFIG.settings());
        return WhatIfTest.record(CONFIG, costs, workload()).with(settings);
    }

    @BeforeAll
    static void record()
    {
        noisy = journal(noisyCosts(3));
    }

    private static TimesVerdict verdict(final WhatIf question)
    {
        return question.ask(List.of(), 1, 0, 1, (parts, ended, total) -> { }).verdict();
    }

    private static WhatIf given(final StepCost cost, final MemoryGroups journal)
    {
        final ServedStepCost served = ServedStepCost.linear("given", cost.baseNanos() / 1e3,
            cost.perPrefillTokenNanos() / 1e3, cost.perDecodeEntryNanos() / 1e3, cost.perContextTokenPicos() / 1e6);
        return WhatIf.read(journal.cursor(), CONFIG, Beginning.OF_RUN, null, null, new CostFile(served, 0, 0));
    }

    @Test
    void shouldTrustTheReRunOfAnEngineWithNoisySteps()
    {
        final TimesVerdict verdict = verdict(WhatIf.read(noisy.cursor(), CONFIG));

        assertTrue(verdict.timesTrusted(), verdict.sentence());
        assertTrue(Math.abs(verdict.ttftP50Percent()) < 10 && Math.abs(verdict.tpotP50Percent()) < 10, verdict.sentence());
        assertTrue(verdict.sentence().matches("the re-run is [\\d.]+ % (fast|slow) in TTFT p50 and [\\d.]+ % (fast|slow) " +
            "in TPOT p50; times may be compared within ±\\d+ %"), verdict.sentence());
    }

    @Test
    void shouldDrawStepTimesFromTheRecordedOnes()
    {
        final WhatIfReport report = WhatIf.read(noisy.cursor(), CONFIG)
            .ask(List.of(), 1, 0, 1, (parts, ended, total) -> { });

        // Without the long steps, p99 of the time between tokens would be near its median.
        final double recorded = report.recorded().report().latency().itl().p99Nanos();
        final double drawn = report.unchanged().report().latency().itl().p99Nanos();
        assertEquals(1, drawn / recorded, 0.25);
        assertTrue(report.recorded().stepTimes().explained() < 0.9, report.recorded().stepTimes().toString());
        assertEquals(10, report.recorded().stepTimes().medianErrorPercent(), 4);
    }

    /** One coefficient of the given cost is doubled. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldFindADoubledCoefficient(final int doubled)
    {
        final StepCost cost = new StepCost(COST.baseNanos() * (doubled == 0 ? 2 : 1),
            COST.perPrefillTokenNanos() * (doubled == 1 ? 2 : 1), COST.perDecodeEntryNanos() * (doubled == 2 ? 2 : 1),
            COST.perContextTokenPicos() * (doubled == 3 ? 2 : 1));
        final TimesVerdict ofFile = verdict(given(cost, noisy));
        final WhatIf byOptions = WhatIf.read(noisy.cursor(), CONFIG).withStepCost(cost);

        final String part = List.of("the base of a step", "prompt tokens", "decode entries", "context").get(doubled);
        assertFalse(ofFile.timesTrusted(), ofFile.sentence());
        assertTrue(doubled > 0 || !verdict(byOptions).timesTrusted(), "by options");
        assertTrue(ofFile.sentence().contains(part + " cost "), ofFile.sentence());
        assertTrue(ofFile.sentence().startsWith("do not trust times, only decisions and hit rates: "), ofFile.sentence());
    }

    @Test
    void shouldNotBlameACostThatIsRight()
    {
        final TimesVerdict verdict = verdict(given(COST, journal(noisyCosts(1))));
        assertFalse(verdict.sentence().contains(" cost "), verdict.sentence());
    }

    @Test
    void shouldSayThatTheReRunOfASimulationIsExact()
    {
        final TimesVerdict verdict =
            verdict(WhatIf.read(WhatIfTest.record(CONFIG, SimulationConfig.DEFAULT, workload()).cursor(), CONFIG));
        assertEquals("the re-run repeats every step and time of the record; times may be compared", verdict.sentence());
        assertEquals(0, verdict.withinPercent());
    }
}
