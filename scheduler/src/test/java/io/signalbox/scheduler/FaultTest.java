// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Failed steps, lost ranks and resets of backends. */
class FaultTest
{
    private static SchedulerConfig.Builder small()
    {
        return SchedulerConfig.builder().ranks(1).blockSizeTokens(16).kvBlocks(33).stepTokens(64).maxRunning(8)
            .capture(new ModelShape(2, 64, 2));
    }

    private static List<SchedulerHarness.Row> rows(final SchedulerHarness harness, final int rank)
    {
        return harness.inFlight.get(rank).rows();
    }

    @Test
    void shouldComputeAPromptFromItsStartWhenKvMemoryIsGone()
    {
        for (final boolean kept : new boolean[] {true, false})
        {
            final SchedulerHarness harness = new SchedulerHarness(small().build());
            harness.submit(1, 1, 2, 40, 1);
            harness.run();
            harness.reset(kept);
            harness.submit(2, 1, 2, 40, 1);
            harness.wake();
            assertEquals(List.of(new SchedulerHarness.Row(2, kept ? 32 : 0, kept ? 8 : 40)), rows(harness, 0));
        }
    }

    @Test
    void shouldTakeEveryRequestOffALostRank()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().ranks(2).stepTokens(16).build());
        harness.submit(1, 1, 0, 16, 8, SchedulerHarness.Options.rank(0).relaxed(true));
        harness.submit(2, 2, 0, 64, 8, SchedulerHarness.Options.rank(0).relaxed(true));
        harness.wake();
        harness.complete(0);
        harness.complete(0);
        assertEquals(2, rows(harness, 0).size());
        harness.submit(3, 3, 0, 64, 8, SchedulerHarness.Options.rank(0).relaxed(true));
        harness.lose(0);
        harness.run();
        assertEquals(3, harness.ended.size());
        assertEquals(0, harness.scheduler.load(0).activeRequests());
        assertEquals(32, harness.scheduler.blocks(0).allocator().allocatableCount());
    }

    @Test
    void shouldHoldNoLoadOnceEveryRequestHasEnded()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().ranks(3).build());
        for (int id = 1; id <= 9; id++)
        {
            harness.submit(id, id % 2, 1, 20 + id, 3);
        }
        harness.wake();
        harness.cancel(4);
        harness.fail(1);
        harness.lose(2);
        harness.run();
        assertEquals(9, harness.ended.size());
        for (int rank = 0; rank < 3; rank++)
        {
            assertEquals(0, harness.scheduler.load(rank).promptTokens(), "load of rank " + rank);
        }
    }

    @Test
    void shouldResumeAPreemptedRequestAheadOfThoseThatWait()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().kvBlocks(5).build());
        harness.submit(1, 1, 0, 30, 20);
        harness.submit(2, 2, 0, 30, 20);
        harness.submit(3, 3, 0, 30, 2);
        harness.wake();
        while (harness.ended.isEmpty())
        {
            harness.complete(0);
        }
        assertEquals(1, harness.ended.get(0).requestId());
        assertEquals(2, rows(harness, 0).get(0).requestId(), "preempted first, so resumed before request 3 starts");
        harness.run();
        assertTrue(harness.ended.stream().allMatch(end -> end.missing() == 0));
    }
}
