// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.DrivenWaits;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.event.StepWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Several steps of one rank ahead: what is launched, what is withdrawn before, and what the results say. */
class CudaRankStepsTest
{
    private final RankReports reports = new RankReports();

    @BeforeEach
    void emulate()
    {
        EmulatedDriver.assumeAvailable();
        new JCudaBinding().initialise();
    }

    @AfterEach
    void reset()
    {
        EmulatedDriver.reset();
    }

    private RankSet ranks()
    {
        return new RankSet(
            new DrivenWaits(new JCudaBinding()), EngineRun.config().clock(() -> 0), 1, CaptureForm.FUSED,
            EngineRun.SHAPE, reports);
    }

    /** Step 1 runs, 2 and 3 wait for the device; 2 and 3 are withdrawn, and 4 comes in their place. */
    @Test
    void shouldNotRunAPlanThatWasWithdrawnBeforeItsLaunch()
    {
        try (RankSet ranks = ranks())
        {
            final CudaRank rank = ranks.get(0);
            rank.submit(StepPlans.plan(0, 1, 2, 70), StepPlans.WEIGHTS);
            rank.doWork();
            rank.submit(StepPlans.plan(0, 2, 2, 70), StepPlans.WEIGHTS);
            rank.submit(StepPlans.plan(0, 3, 2, 70), StepPlans.WEIGHTS);
            rank.abort(2);
            rank.abort(3);
            rank.submit(StepPlans.plan(0, 4, 2, 70), StepPlans.WEIGHTS);
            for (int turn = 0; turn < 8; turn++)
            {
                rank.doWork();
            }
        }
        assertEquals(List.of(), reports.answers(0, 2));
        assertEquals(List.of(), reports.answers(0, 3));
        assertEquals(1, reports.answers(0, 1).size());
        assertEquals(1, reports.answers(0, 4).size());
        assertEquals(2, reports.lines.stream().filter(line -> line.endsWith("forward")).count());
    }

    @Test
    void shouldReportWhereEntriesStartAndNoTokenOfAChunk()
    {
        final StepWriter plan = new StepWriter().begin(0, StepPlans.EPOCH, 1, 5, 2)
            .entry(70, 3, 2).entry(71, 16, 3, false);
        try (RankSet ranks = ranks())
        {
            ranks.get(0).submit(plan.view(), StepPlans.WEIGHTS);
            ranks.get(0).doWork();
            ranks.get(0).doWork();
        }
        assertEquals("entries [3, 16] accepting [1, 0]", reports.entries);
    }
}
