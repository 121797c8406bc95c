// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.EventReader;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Lost ranks that their backend resets, one by one. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
        private int refused;

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
                assertEquals(FreeReason.LENGTH, ended.reason());
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
            assertEquals(FreeReason.LENGTH, first.ended().get().reason());
            assertEquals(FreeReason.LENGTH, second.ended().get().reason());
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

    /** The requests wait for somebody who resets the rank, and the journal has the reason. */
    @Test
    void shouldTryABoundedNumberOfTimes() throws Exception
    {
        final ToyBackend backend = new ToyBackend(1, false, 0, ToyPlant.NONE).losingRanks(1).refusingResets();
        final EngineConfig context = context(backend, 1, 1).rankResets(3).journal(journal);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(request(3), LONG_ENOUGH);
            while (backend.turn())
            {
                engine.awaitProcessed();
            }
            assertFalse(handle.ended().isDone());
            assertTrue(client.cancel(handle, LONG_ENOUGH));
            assertEquals(FreeReason.CANCELLED, handle.ended().get().reason());
        }
        final String note = "the reset of rank 0 failed: java.lang.IllegalStateException: planted";
        assertEquals(List.of(note, note, note), resets().notes);
        assertEquals(List.of(), resets().ranks);
    }
}
