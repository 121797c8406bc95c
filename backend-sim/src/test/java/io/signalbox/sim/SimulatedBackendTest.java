// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.InvariantViolation;
import io.signalbox.SeededTokens;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Plans.Entry;
import io.signalbox.workload.SplitMix64;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
class SimulatedBackendTest
{
    private static final SimulationConfig EXACT = SimulationConfig.DEFAULT
        .withStepCost(new StepCost(1000, 10, 100, 2000))
        .withD2hDelay(new D2hDelay(5, 1000, 0));

    private final RecordingSink sink = new RecordingSink();

    private SimulatedBackend start(final SimulationConfig config, final int ranks, final ModelShape shape)
    {
        final SimulatedBackend backend = new SimulatedBackend(config);
        backend.start(ranks, shape, sink);
        return backend;
    }

    private void fireAll(final SimulatedBackend backend)
    {
        while (backend.nextNanos() != EventQueue.NEVER)
        {
            backend.now(backend.nextNanos());
            backend.fireNext();
        }
    }

    private static int token(final long requestId, final int position)
    {
        return SeededTokens.token(EXACT.seed(), requestId, position);
    }

    @Test
    void shouldLaunchAtOnceAndCompleteAfterCostAndDelay()
    {
        final SimulatedBackend backend = start(EXACT, 1, null);
        backend.now(50);
        backend.submit(Plans.plan(0, 7, new Entry(3, 0, 20), new Entry(4, 31, 1)));
        fireAll(backend);
        // 1000 + 20 prefill tokens at 10 + one decode entry at 100 + 32 tokens of context at 2; then 5 + 21 rows at 1.
        assertEquals(List.of(
            "50 forward rank 0 step 7",
            (50 + 1364 + 26) + " complete rank 0 step 7 tokens [" + token(3, 20) + ", " + token(4, 32) + "]"), sink.events);
    }

    @Test
    void shouldOrderEventsOfOneInstantByPhaseThenRank()
    {
        final SimulatedBackend backend = start(EXACT, 4, null);
        backend.submit(Plans.plan(2, 1, new Entry(1, 10, 1)));
        backend.submit(Plans.plan(0, 2, new Entry(2, 10, 1)));
        fireAll(backend);
        final long end = 1000 + 100 + 22 + 5 + 1;
        assertEquals("0 forward rank 0 step 2", sink.events.get(0));
        assertEquals("0 forward rank 2 step 1", sink.events.get(1));
        assertTrue(sink.events.get(2).startsWith(end + " complete rank 0"));
        assertTrue(sink.events.get(3).startsWith(end + " complete rank 2"));

        // A launch at the very instant of a completion goes first, whatever its rank.
        backend.now(end);
        backend.submit(Plans.plan(0, 3, new Entry(1, 11, 1)));
        fireAll(backend);
        final long completion = end + 1000 + 100 + 24 + 6;
        backend.now(completion);
        sink.events.clear();
        backend.submit(Plans.plan(1, 4, new Entry(1, 12, 1)));
        backend.fireNext();
        assertEquals(List.of(completion + " forward rank 1 step 4"), sink.events);
    }

    @Test
    void shouldEndAStepOfRanksInLockStepAtTheSlowest()
    {
        final SimulatedBackend backend = new SimulatedBackend(
            EXACT, SchedulerConfig.builder().lockStep(true).build(), SplitMix64::mix);
        backend.start(3, null, sink);
        backend.submit(Plans.plan(0, 1, new Entry(1, 10, 1)));
        backend.submit(Plans.plan(1, 1, new Entry(2, 0, 40)));
        backend.submit(Plans.plan(2, 1));
        fireAll(backend);
        // The slowest: 1000 + 40 prefill tokens at 10, then 5 + 40 rows at 1.
        final long end = 1000 + 400 + 5 + 40;
        final List<String> completions = sink.events.stream().filter(event -> event.contains("complete")).toList();
        assertEquals(3, completions.size());
        for (int rank = 0; rank < 3; rank++)
        {
            assertTrue(completions.get(rank).startsWith(end + " complete rank " + rank), completions.get(rank));
        }

        sink.events.clear();
        backend.now(end);
        for (int rank = 0; rank < 3; rank++)
        {
            backend.submit(Plans.plan(rank, 2));
        }
        fireAll(backend);
        assertTrue(sink.events.get(5).startsWith((end + 1005) + " complete rank 2"), sink.events.get(5));
    }

    @Test
    void shouldLetCompletionsOvertakeOneAnotherAcrossRanks()
    {
        final SimulatedBackend backend = start(EXACT.withD2hDelay(new D2hDelay(0, 0, 500)), 8, null);
        for (int rank = 0; rank < 8; rank++)
        {
            backend.submit(Plans.plan(rank, rank, new Entry(rank, 10, 1)));
        }
        fireAll(backend);
        final List<String> ranks = sink.events.stream().filter(event -> event.contains("complete"))
            .map(event -> event.replaceAll(".* rank (\\d) .*", "$1")).toList();
        assertEquals(8, ranks.stream().distinct().count());
        assertNotEquals(ranks.stream().sorted().toList(), ranks);
    }

    @Test
    void shouldSampleTheTokensThatTheCudaKernelsSample()
    {
        assertEquals(6928, SeededTokens.token(0, 0, 1));
        assertEquals(43917, SeededTokens.token(1, 2, 3));
        assertEquals(49996, SeededTokens.token(42, 1_000_000_007L, 4096));
        assertEquals(26007, SeededTokens.token(-7, (1L << 62) + 5, 1));
    }

    @Test
    void shouldKnowWhichRanksAreIdle()
    {
        final SimulatedBackend backend = start(EXACT, 1, null);
        assertTrue(backend.anyRankHasRoom());
        backend.submit(Plans.plan(0, 1, new Entry(1, 0, 4)));
        assertFalse(backend.anyRankHasRoom());
        assertFalse(backend.fireNext());
        assertFalse(backend.anyRankHasRoom());
        assertTrue(backend.fireNext());
        assertTrue(backend.anyRankHasRoom());
    }

    @Test
    void shouldRefuseASecondPlanForABusyRank()
    {
        final SimulatedBackend backend = start(EXACT, 1, null);
        backend.submit(Plans.plan(0, 1, new Entry(1, 0, 4)));
        final String message = assertThrows(InvariantViolation.class,
            () -> backend.submit(Plans.plan(0, 2, new Entry(2, 0, 4)))).getMessage();
        assertTrue(message.contains("rank 0 was given step 2 while 1 steps from step 1 on are out"), message);
    }

    @Test
    void shouldForgetAnAbortedStep()
    {
        final SimulatedBackend backend = start(EXACT, 2, null);
        backend.submit(Plans.plan(0, 1, new Entry(1, 0, 4)));
        backend.submit(Plans.plan(1, 2, new Entry(2, 0, 4)));
        backend.fireNext();
        backend.abort(0, 1);
        backend.abort(1, 77);
        assertTrue(backend.anyRankHasRoom());
        fireAll(backend);
        assertEquals(0, sink.events.stream().filter(event -> event.contains("complete rank 0")).count());
        assertEquals(1, sink.events.stream().filter(event -> event.contains("complete rank 1")).count());
    }

    @Test
    void shouldCaptureOneRowPerTokenAndReuseReleasedSlices()
    {
        final ModelShape shape = new ModelShape(4, 64, 2);
        final SimulatedBackend backend = start(EXACT, 1, shape);
        backend.submit(Plans.plan(0, 1, new Entry(1, 0, 40), new Entry(2, 8, 1)));
        fireAll(backend);
        final CaptureSlice first = sink.slices.get(0);
        assertEquals(41, first.rowCount());
        assertEquals(8, first.rowBytes());
        final byte[] expected = new byte[41 * 8];
        final ExpertModel model = new ExpertModel(shape, EXACT.seed(), EXACT.expertSkew());
        for (int row = 0; row < 41; row++)
        {
            final long key = row < 40 ? SplitMix64.mix(1, row) : SplitMix64.mix(2, 8);
            model.writeRow(key, new UnsafeBuffer(expected), row * 8);
        }
        for (int i = 0; i < expected.length; i++)
        {
            assertEquals(expected[i], first.buffer().getByte(first.offset() + i));
        }

        backend.submit(Plans.plan(0, 2, new Entry(1, 40, 1)));
        fireAll(backend);
        final CaptureSlice second = sink.slices.get(1);
        assertNotSame(first, second);
        first.release();
        second.release();
        backend.submit(Plans.plan(0, 3, new Entry(1, 41, 1)));
        fireAll(backend);
        assertSame(second, sink.slices.get(2));
        assertThrows(InvariantViolation.class, first::release);
    }

    @Test
    void shouldAllocateNothingPerStepOnceWarm()
    {
        final SimulatedBackend backend = new SimulatedBackend(EXACT);
        backend.start(2, new ModelShape(4, 64, 2), new ReleasingSink());
        final StepView plan = Plans.plan(0, 1, new Entry(1, 0, 300), new Entry(2, 17, 1));
        final StepView other = Plans.plan(1, 2, new Entry(3, 40, 1));
        step(backend, plan, other, 1000);
        final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        step(backend, plan, other, 10_000);
        final long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        // Reading the counter allocates a little itself; one object of the smallest size per step would be 160,000.
        assertTrue(bytes < 10_000, bytes + " bytes in 10,000 rounds of two steps");
    }

    private static void step(
        final SimulatedBackend backend, final StepView plan, final StepView other, final int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            backend.submit(plan);
            backend.submit(other);
            while (backend.nextNanos() != EventQueue.NEVER)
            {
                backend.now(backend.nextNanos());
                backend.fireNext();
            }
        }
    }

    /** Gives every slice back at once and keeps nothing. */
    private static final class ReleasingSink implements CompletionSink
    {
        @Override
        public void forward(
            final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
        {
            // Not of interest.
        }

        @Override
        public void d2hComplete(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepTokens tokens,
            final CaptureSlice rows)
        {
            rows.release();
        }

        @Override
        public void fault(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepFault faultClass,
            final String detail)
        {
            throw new AssertionError("no fault was asked for: " + detail);
        }
    }

    @Test
    void shouldTakeSlicesBackFromAnotherThread() throws InterruptedException
    {
        final CaptureSlicePool pool = new CaptureSlicePool(8);
        for (int round = 0; round < 1000; round++)
        {
            final List<CaptureSlice> taken = new ArrayList<>();
            for (int i = 0; i < 4; i++)
            {
                taken.add(pool.acquire(1 + round % 7));
            }
            assertEquals(4, taken.stream().distinct().count());
            final Thread releaser = new Thread(() -> taken.subList(2, 4).forEach(CaptureSlice::release));
            releaser.start();
            taken.subList(0, 2).forEach(CaptureSlice::release);
            releaser.join();
        }
    }
}
