// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Lost ranks that their backend resets, one by one. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RankResetTest
{
    private static final long LONG_ENOUGH = 60_000_000_000L;
    private static final int REQUESTS = 30;

    /** Resets and notes of a run. */
    private static final class Resets extends EventReader
    {
        private final List<Integer> ranks = new ArrayList<>();
        private final List<Integer> epochs = new ArrayList<>();
        private final List<String> notes = new ArrayList<>();
        private final List<String> givenUp = new ArrayList<>();
        private int refused;

        @Override
        protected void onBackendFault(final BackendFaultDecoder fault)
        {
            if (fault.faultClass() == FaultClass.RANK_GIVEN_UP)
            {
                givenUp.add(fault.detail());
            }
        }

        @Override
        protected void onBackendReset(final BackendResetDecoder reset)
        {
            epochs.add(reset.newEpoch());
            ranks.add(reset.rank());
        }

        @Override
        protected void onControl(final ControlDecoder control)
        {
            notes.add(control.note());
        }

        @Override
        protected void onRefused(final RefusedDecoder refusal)
        {
            refused++;
        }
    }

    private final RecordingJournal journal = new RecordingJournal();

    private static EngineConfig context(final ToyBackend backend, final int ranks, final int depth)
    {
        return new EngineConfig().backend(backend).vocabularySize(ToyModel.VOCABULARY).rankResets(1_000).scheduler(
            SchedulerConfig.builder().ranks(ranks).blockSizeTokens(8).kvBlocks(64).stepTokens(40).depth(depth)
                .backOffNanos(0).maxFailures(0).build());
    }

    private static CompletionRequest request(final int i)
    {
        final int[] prompt = new int[1 + 7 * i % 50];
        Arrays.setAll(prompt, position -> (position + i % 3) % ToyModel.VOCABULARY);
        return CompletionRequest.prompt(prompt).maxNewTokens(20);
    }

    private Resets resets()
    {
        final Resets resets = new Resets();
        for (final RecordingJournal.Recorded group : journal.recorded)
        {
            resets.readGroup(new UnsafeBuffer(group.group()), 0, group.group().length);
        }
        return resets;
    }

    /** With one rank, all are lost each time, and every request waits for the reset. */
    @ParameterizedTest
    @CsvSource({"1, 1, false", "1, 2, false", "3, 4, false", "1, 2, true", "3, 2, true"})
    void shouldBringBackEachLostRankAndEndEveryRequest(final int ranks, final int depth, final boolean threaded)
        throws Exception
    {
        final ToyBackend backend = new ToyBackend(depth, threaded, 40, ToyPlant.NONE).losingRanks(15);
        final EngineConfig context = context(backend, ranks, depth).journal(journal);
        final EngineClient client = new EngineClient(context);
        final List<CompletionHandle> handles = new ArrayList<>();
        try (Engine engine = threaded ? new ThreadedEngine(context) : new SteppedEngine(context))
        {
            client.connect(engine);
            for (int i = 0; i < REQUESTS; i++)
            {
                handles.add(client.submit(request(i), LONG_ENOUGH));
            }
            while (!threaded && backend.turn())
            {
                engine.awaitProcessed();
            }
            for (int i = 0; i < REQUESTS; i++)
            {
                final Completion ended = handles.get(i).ended().get(LONG_ENOUGH, TimeUnit.NANOSECONDS);
                assertEquals(FinishReason.LENGTH, ended.reason());
                assertArrayEquals(ToyModel.generate(request(i), i + 1).stream().mapToInt(ToyModel.Next::token).toArray(),
                    ended.tokens(), "request " + (i + 1));
            }
        }
        final Resets resets = resets();
        assertFalse(resets.ranks.isEmpty());
        assertTrue(ranks == 1 || resets.ranks.stream().distinct().count() > 1, "ranks " + resets.ranks);
        assertEquals(0, resets.refused);
        ImpossibleRowsTest.assertReplays(context.concluded().config(), journal);
    }

    @Test
    void shouldResetARankThatSomebodyNames() throws Exception
    {
        final ToyBackend backend = new ToyBackend(2, false, 0, ToyPlant.NONE).losingRanks(1_000_000);
        final EngineConfig context = context(backend, 2, 2).journal(journal);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle first = client.submit(request(3), LONG_ENOUGH);
            final CompletionHandle second = client.submit(request(4), LONG_ENOUGH);
            backend.turn();
            engine.resetRank(1);
            engine.resetRank(0);
            engine.resetRank(1);
            while (backend.turn())
            {
                engine.awaitProcessed();
            }
            assertEquals(FinishReason.LENGTH, first.ended().get().reason());
            assertEquals(FinishReason.LENGTH, second.ended().get().reason());
            assertEquals("rank=2 is not one of the ranks 0 to 1; name the rank to reset",
                assertThrows(IllegalArgumentException.class, () -> engine.resetRank(2)).getMessage());
        }
        assertEquals(List.of(1, 0, 1), resets().ranks);
        assertEquals(List.of(1, 2, 3), resets().epochs);
        ImpossibleRowsTest.assertReplays(context.concluded().config(), journal);
    }

    @Test
    void shouldRefuseAResetThatTheBackendDoesNotDeclare()
    {
        try (ThreadedEngine engine = new ThreadedEngine(new EngineConfig().backend(new SilentBackend())))
        {
            assertEquals("rank 0 cannot be reset, because the backend silent does not declare that it resets ranks; close " +
                "the engine and open another",
                assertThrows(IllegalArgumentException.class, () -> engine.resetRank(0)).getMessage());
        }
    }

    /** No request waits for a rank that nobody resets, and the journal has the reason; a caller may still bring it back. */
    @Test
    void shouldGiveARankUpAfterABoundedNumberOfTries() throws Exception
    {
        final ToyBackend backend = new ToyBackend(1, false, 0, ToyPlant.NONE).losingRanks(1).refusingResets(true);
        final EngineConfig context = context(backend, 1, 1).rankResets(3).journal(journal);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle lost = client.submit(request(3), LONG_ENOUGH);
            turn(backend, engine);
            assertEquals(FinishReason.FAILED, lost.ended().get().reason());
            assertEquals(Refusal.Reason.NO_RANK_LEFT,
                client.submit(request(3), LONG_ENOUGH).ended().get().refusal().orElseThrow().reason());
            assertThrows(IllegalStateException.class, () -> engine.resetRank(0));
            backend.refusingResets(false).losingRanks(1_000_000);
            engine.resetRank(0);
            final CompletionHandle served = client.submit(request(3), LONG_ENOUGH);
            turn(backend, engine);
            assertEquals(FinishReason.LENGTH, served.ended().get().reason());
        }
        final String note = "the reset of rank 0 failed: java.lang.IllegalStateException: planted";
        assertEquals(List.of(note, note, note), resets().notes);
        assertEquals(List.of("lost again after 3 resets in a row"), resets().givenUp);
        assertEquals(List.of(0), resets().ranks);
        ImpossibleRowsTest.assertReplays(context.concluded().config(), journal);
    }

    @Test
    void shouldLetRequestsWaitForACallerIfThereAreNoAutomaticResets() throws Exception
    {
        final ToyBackend backend = new ToyBackend(1, false, 0, ToyPlant.NONE).losingRanks(1);
        final EngineConfig context = context(backend, 1, 1).rankResets(0).journal(journal);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(request(3), LONG_ENOUGH);
            turn(backend, engine);
            assertFalse(handle.ended().isDone());
            backend.losingRanks(1_000_000);
            engine.resetRank(0);
            turn(backend, engine);
            assertEquals(FinishReason.LENGTH, handle.ended().get().reason());
        }
        assertEquals(List.of(), resets().givenUp);
    }

    /** The backend is not closed while it resets a rank, unless that takes longer than a close may wait. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotCloseTheBackendDuringAReset(final boolean hangs) throws Exception
    {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final AtomicBoolean resetting = new AtomicBoolean();
        final AtomicBoolean closedMeanwhile = new AtomicBoolean();
        final CountDownLatch closed = new CountDownLatch(1);
        final Backend backend = slow(begun, mayEnd, resetting, () ->
        {
            closedMeanwhile.set(resetting.get());
            closed.countDown();
        });
        final ThreadedEngine engine =
            new ThreadedEngine(new EngineConfig().backend(backend)
                .closeTimeout(Duration.ofNanos(hangs ? 1_000_000 : LONG_ENOUGH)));
        final Thread caller = new Thread(() ->
            assertThrows(IllegalStateException.class, () -> engine.resetRank(0)));
        caller.start();
        begun.await();
        if (hangs)
        {
            assertEquals("the backend still resets rank 0 after 1 ms and is closed now",
                assertThrows(IllegalStateException.class, engine::close).getMessage());
            // On a busy machine its thread may begin after the bound.
            closed.await();
            mayEnd.countDown();
        }
        else
        {
            final Thread closing = new Thread(engine::close);
            closing.start();
            while (closing.getState() != Thread.State.TIMED_WAITING)
            {
                Thread.onSpinWait();
            }
            mayEnd.countDown();
            closing.join();
        }
        caller.join();
        assertEquals(hangs, closedMeanwhile.get());
    }

    /** Its reset takes until it may end. */
    private static Backend slow(
        final CountDownLatch begun, final CountDownLatch mayEnd, final AtomicBoolean resetting, final Runnable closing)
    {
        return new DelegatingBackend()
        {
            @Override
            void beforeSubmit()
            {
                throw new AssertionError("there is no request");
            }

            @Override
            public BackendCapabilities capabilities()
            {
                return BackendCapabilities.named("slow").resetsRanks(true).build();
            }

            @Override
            public boolean reset(final int rank)
            {
                resetting.set(true);
                begun.countDown();
                awaitUninterruptibly(mayEnd);
                resetting.set(false);
                return true;
            }

            @Override
            public void close()
            {
                closing.run();
                super.close();
            }
        };
    }

    private static void awaitUninterruptibly(final CountDownLatch latch)
    {
        boolean done = false;
        while (!done)
        {
            try
            {
                latch.await();
                done = true;
            }
            catch (final InterruptedException e)
            {
                // Waits on: the test ends the wait.
            }
        }
    }

    private static void turn(final ToyBackend backend, final Engine engine)
    {
        while (backend.turn())
        {
            engine.awaitProcessed();
        }
    }
}
