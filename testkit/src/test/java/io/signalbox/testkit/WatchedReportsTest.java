// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.StepTokens;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatchedReportsTest
{
    private final CountDownLatch gate = new CountDownLatch(1);
    private final WatchedReports reports = new WatchedReports(
        false, new BackendTraits(1000, false, Duration.ofSeconds(10), null), gate);

    /** Starts a thread that reports results of the rank; returns when it waits in the sink. */
    private Thread reporting(final int rank)
    {
        final Thread thread = new Thread(() ->
        {
            try
            {
                reports.d2hComplete(0, 0, rank, 1, new StepTokens().begin(0, rank, 1).entry(0).accept(1), null);
            }
            catch (final IllegalStateException e)
            {
                // The reports have ended.
            }
        });
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.WAITING)
        {
            Thread.onSpinWait();
        }
        return thread;
    }

    private static PlanCopy plan(final int rank)
    {
        return new PlanCopy(0, rank, 1, 1, List.of(new PlanCopy.Entry(1, 0, 0, 1, 1, 0, true)));
    }

    @Test
    void shouldNoticeResultsOfOneRankFromTwoThreads() throws InterruptedException
    {
        reports.start(2, null, reports);
        reports.submitting(plan(0));
        reports.submitting(plan(1));
        reports.submitted();
        final List<Thread> threads = List.of(reporting(0), reporting(1));
        assertEquals(List.of(), reports.findings());
        final Thread second = reporting(1);
        assertEquals(List.of("reported results of rank 1 from two threads at the same time"), reports.findings());
        gate.countDown();
        for (final Thread thread : threads)
        {
            thread.join();
        }
        second.join();
        assertEquals(2, reports.waiting());
    }

    @Test
    void shouldNotAccuseAReportThatBeganBeforeTheEnd() throws InterruptedException
    {
        reports.start(2, null, reports);
        reports.submitting(plan(0));
        reports.submitted();
        final Thread held = reporting(0);
        reports.closing();
        reports.closed();
        gate.countDown();
        held.join();
        assertEquals(List.of(), reports.findings());

        assertThrows(IllegalStateException.class, () -> reports.forward(0, 0, 0, 1, 0));
        assertEquals(List.of("reported the launch of step 1 of rank 0 after close had returned"), reports.findings());
    }
}
