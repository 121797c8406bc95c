// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Workload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Plans whose faults hit several ranks in one step, at every depth, with ranks that step alone and together. */
class SharedFaultsSimulationTest
{
    private static final Workload WORKLOAD = SmallWorkloads.generated(7, 0);

    private static FaultyRun run(final String plan, final int depth, final boolean lockStep)
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(4).kvBlocks(300).stepTokens(256).lockStep(lockStep)
            .depth(depth).draftTokens(depth % 3).capture(new ModelShape(3, 16, 2)).build();
        final FaultyRun run = FaultyRun.of(
            config, SimulationConfig.DEFAULT.withFaults(FaultPlan.parse(plan.replace('+', ';'))), WORKLOAD);
        assertEquals(List.of(), run.findings, plan + " at depth " + depth + (lockStep ? " in lock-step" : ""));
        return run;
    }

    /** Every request completes, with the tokens and the number of rows that it has without faults. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        rank * step 6 failed
        rank 0..2 step 6 failed node down+ rank 0..3 step 9 failed
        rank 0..1 step 7 lost back-after 300ms
        rank 0..1 step 7 lost back-after 300ms+ rank 2..3 step 7 failed
        rank * step 7 dropped+ step-timeout=100ms, back-after=200ms
        rank * step 5..8 late 150ms+ step-timeout=100ms, back-after=50ms
        rank 0..2 step 7 lost back-after never
        """)
    void shouldCompleteEveryRequest(final String plan)
    {
        for (int depth = 1; depth <= 4; depth++)
        {
            for (final boolean lockStep : new boolean[] {false, true})
            {
                final RunReport report = run(plan, depth, lockStep).report;
                assertEquals(report.requests().submitted(), report.requests().completed(), plan + " at depth " + depth);
                assertTrue(report.faults().failedSteps() + report.faults().timedOutSteps() >= 2, report.faults().toString());
            }
        }
    }

    /** Requests that wait while every rank is lost fail, and the others complete once the ranks are back, or none do. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        rank * step 7 lost back-after 300ms
        rank * step 7 lost back-after 300ms+ kv=kept
        rank * step 7..9 lost back-after 20ms
        rank * step 7 lost back-after never
        rank * step 7 dropped+ step-timeout=100ms, back-after=never
        """)
    void shouldEndEveryRequestIfEveryRankIsLost(final String plan)
    {
        for (int depth = 1; depth <= 4; depth++)
        {
            for (final boolean lockStep : new boolean[] {false, true})
            {
                final RunReport.Requests requests = run(plan, depth, lockStep).report.requests();
                final long failed = requests.failed() + requests.refused();
                assertEquals(requests.submitted(), requests.completed() + failed, plan + " at depth " + depth);
                assertTrue(plan.contains("never") ? failed > 0 : requests.completed() > 0, requests.toString());
            }
        }
    }
}
