// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.engine.ThreadedEngine;
import io.signalbox.event.StepWriter;
import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.Workload;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Simulated ranks whose weights are replaced: tokens and rows of each generation differ. */
@Tag("threads")
class NewWeightsSimulationTest
{
    private static final Workload WORKLOAD = GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
        .seed(5).conversations(25).arrivals(new Arrivals.Poisson(2.0)).systemPromptTokens(64)
        .userTokens(new SizeDistribution.Lognormal(60.0, 1.0, 1, 300)).outputTokens(new SizeDistribution.Zipf(0.5, 40, 90))
        .meanThinkTimeNanos(100_000_000L).maxContextTokens(1200).build());

    private static SchedulerConfig config(final int depth)
    {
        return SchedulerConfig.builder().ranks(2).depth(depth).capture(new ModelShape(2, 16, 2)).build();
    }

    private static RunReport run(
        final String plan, final int depth, final boolean threaded, final RecordingJournal journal)
    {
        final SimulationConfig simulation =
            SimulationConfig.DEFAULT.withNewWeights(plan == null ? null : WeightsPlan.parse(plan));
        final EngineFactory engines = context -> threaded ? new ThreadedEngine(context) : new SteppedEngine(context);
        return new Simulation(config(depth), simulation, WORKLOAD).run(engines, journal, SimulationProgress.NONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldCountWhatBecameOfRequests(final int depth)
    {
        final RunReport.NewWeights finished = run("continue@10s", depth, false, null).newWeights();
        assertEquals(1, finished.changes());
        assertTrue(finished.mixed() > 0 && finished.aborted() == 0 && finished.requeued() == 0, finished::toString);
        final RunReport.NewWeights aborted = run("abort@10s", depth, false, null).newWeights();
        assertTrue(aborted.mixed() == 0 && aborted.aborted() > 0 && aborted.requeued() == 0, aborted::toString);
        final RunReport.NewWeights requeued = run("requeue@10s", depth, false, null).newWeights();
        assertTrue(requeued.aborted() == 0 && requeued.requeued() > 0, requeued::toString);
        assertNull(run(null, depth, false, null).newWeights());
    }

    @Test
    void shouldReadTheFormerNameOfContinue()
    {
        assertEquals(WeightsPlan.parse("continue@1s,requeue@2s"), WeightsPlan.parse("finish@1s,requeue@2s"));
        assertEquals("continue@1s", WeightsPlan.parse("finish@1s").text());
    }

    @Test
    void shouldWriteTheSameGroupsThreadedAndStepped()
    {
        final RecordingJournal stepped = new RecordingJournal();
        final RecordingJournal threaded = new RecordingJournal();
        final String plan = "continue@5s,requeue@10s,abort@15s";
        run(plan, 2, false, stepped);
        run(plan, 2, true, threaded);
        assertEquals(stepped.checksum(), threaded.checksum());
        final RecordingJournal without = new RecordingJournal();
        run(null, 2, false, without);
        assertNotEquals(stepped.checksum(), without.checksum());
    }

    @Test
    void shouldReplaceNothingOnceEveryRequestHasEnded()
    {
        final RunReport report = run("continue@80000s", 1, false, null);
        assertNull(report.newWeights());
        assertEquals(run(null, 1, false, null).simulatedNanos(), report.simulatedNanos());
    }

    @Test
    void shouldStopAtAStepForOtherWeightsThanTheRanksHave()
    {
        final SimulatedBackend backend = new SimulatedBackend(SimulationConfig.DEFAULT);
        backend.start(1, null, new RecordingSink());
        backend.newWeights(1, "");
        final InvariantViolation violation = assertThrows(InvariantViolation.class,
            () -> backend.submit(new StepWriter().begin(0, 0, 1, 1, 1).entry(1, 0, 1).view()));
        assertEquals("step 1 of rank 0 is for the weights of generation 0, and the ranks have those of generation 1",
            violation.getMessage());
    }

    @Test
    void shouldPrintWhatItReads()
    {
        assertEquals("continue@1500ms,abort@2s,requeue@1000s",
            WeightsPlan.parse(" continue@1.5s, abort@2000ms,requeue@1000s").text());
        assertEquals("continue@1500ms", SimulationConfig.DEFAULT.withNewWeights(WeightsPlan.parse("continue@1.5s"))
            .settings().get("sim.newWeights"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "''|the change of weights '' is not of the form WAY@TIME, such as continue@10s or requeue@1500ms; give a way, an " +
            "@ and a time.",
        "continue|the change of weights 'continue' is not of the form WAY@TIME, such as continue@10s or requeue@1500ms; " +
            "give a way, an @ and a time.",
        "keep@1s|the change of weights 'keep@1s' names the way 'keep', which is not continue, abort, requeue or drain; " +
            "give one of these.",
        "continue@never|the change of weights 'continue@never' has no valid time; give a duration from 1ns to 86400s such " +
            "as 5ms, 200us or 1.5s behind the @.",
        "continue@-1s|the change of weights 'continue@-1s' has no valid time; give a duration from 1ns to 86400s such " +
            "as 5ms, 200us or 1.5s behind the @.",
        "abort@2s,continue@2s|the change of weights 'continue@2s' is not later than the change before it; give the " +
            "changes in the order of their times."})
    void shouldRefuseByName(final String text, final String sentence)
    {
        assertEquals(sentence, assertThrows(ConfigException.class, () -> WeightsPlan.parse(text)).getMessage());
    }
}
