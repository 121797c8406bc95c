// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.ConfigException;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.Refusal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An engine continues the run that another one left; each rule by itself. */
@Timeout(300)
final class RestartTest
{
    private final MemoryRun run = new MemoryRun();

    private static Ask request(final int number, final int prompt, final int maxNewTokens)
    {
        final int[] tokens = new int[prompt];
        Arrays.setAll(tokens, i -> (i + 31 * number) % ContentModel.VOCABULARY);
        return new Ask(tokens, maxNewTokens, 0, 0);
    }

    private static CompletionHandle resumed(final Incarnation engine, final CompletionHandle former)
    {
        return engine.resumed().stream()
            .filter(handle -> handle.requestId() == former.requestId()).findFirst().orElseThrow();
    }

    private static int[] tokens(final Completion completion)
    {
        final int[] tokens = new int[completion.tokenCount()];
        Arrays.setAll(tokens, completion::token);
        return tokens;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldContinueRunningRequestsWithTheTokensAndRowsThatTheyHave(final int depth) throws Exception
    {
        final List<Ask> requests = List.of(request(1, 30, 8), request(2, 3, 12), request(3, 17, 5));
        final List<CompletionHandle> handles = new ArrayList<>();
        final Incarnation first = new Incarnation(run, Incarnation.config(depth).build());
        for (final Ask request : requests)
        {
            handles.add(first.submit(request));
        }
        first.turn(6);
        final int before = run.groups();
        try (Incarnation second = new Incarnation(run, Incarnation.config(depth).build()))
        {
            final RestartEvents events = new RestartEvents();
            run.read(before, events);
            assertEquals(List.of("reset 1"), events.resets);
            assertTrue(events.withdrawn > 0 && events.requeued > 0, "nothing was in flight");
            assertEquals(3, second.resumed().size());
            for (int i = 0; i < handles.size(); i++)
            {
                assertArrayEquals(handles.get(i).tokens(), resumed(second, handles.get(i)).tokens());
            }
            second.finish();
            for (int i = 0; i < handles.size(); i++)
            {
                final CompletionHandle handle = resumed(second, handles.get(i));
                final Completion ended = Incarnation.end(handle);
                assertEquals(FinishReason.LENGTH, ended.reason());
                assertArrayEquals(ContentModel.generated(requests.get(i), requests.get(i).maxNewTokens()), tokens(ended));
                assertEquals(0, ended.missingRows());
                ContentModel.assertRows(requests.get(i), requests.get(i).maxNewTokens(), Incarnation.rows(handle));
            }
        }
    }

    /** The events of the first group of an engine. */
    private static final class RestartEvents extends EventReader
    {
        private final List<String> resets = new ArrayList<>();
        private int withdrawn;
        private int requeued;

        @Override
        protected void onBackendReset(final BackendResetDecoder reset)
        {
            assertEquals(Flag.YES, reset.restart());
            assertEquals(Flag.NO, reset.kvMemoryKept());
            assertEquals(-1, reset.rank());
            resets.add("reset " + reset.newEpoch());
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder message)
        {
            withdrawn++;
        }

        @Override
        protected void onRequeued(final RequeuedDecoder message)
        {
            requeued++;
        }
    }

    @Test
    void shouldRaiseTheEpochWithEachRestartAndBeginNoEpochForANewRun() throws Exception
    {
        new Incarnation(run, Incarnation.config(1).build()).submit(request(1, 5, 30));
        for (int i = 0; i < 4; i++)
        {
            new Incarnation(run, Incarnation.config(1).build()).turn(2);
        }
        final RestartEvents events = new RestartEvents();
        run.read(events);

        assertEquals(List.of("reset 1", "reset 2", "reset 3", "reset 4"), events.resets);
    }

    @Test
    void shouldGiveNewRequestsIdsThatNoRequestHad() throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(1).build());
        final CompletionHandle ended = first.submit(request(1, 5, 1));
        final CompletionHandle running = first.submit(request(2, 5, 40));
        first.turn(4);
        assertTrue(ended.requestId() < running.requestId());
        try (Incarnation second = new Incarnation(run, Incarnation.config(1).build()))
        {
            assertEquals(running.requestId() + 1, second.submit(request(3, 5, 1)).requestId());
        }
    }

    /** Threads take ids before their requests reach the engine, so the last request of a run may have a lower id. */
    @Test
    void shouldGiveNewRequestsIdsAboveTheHighestAndNotTheLast() throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(1).build());
        first.submitAs(100, request(1, 5, 2));
        assertEquals(1, first.submit(request(2, 5, 2)).requestId());
        first.finish();
        try (Incarnation second = new Incarnation(run, Incarnation.config(1).build()))
        {
            final CompletionHandle handle = second.submit(request(3, 5, 1));
            assertEquals(101, handle.requestId());
            second.finish();
            assertEquals(FinishReason.LENGTH, Incarnation.end(handle).reason());
        }
    }

    /** A refusal is also an end that the client possibly did not see. */
    @Test
    void shouldHandOutRefusalsThatNoClientMayHaveSeen() throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(1).build());
        final CompletionHandle refused = first.submit(request(1, 400, 4));
        assertEquals(Refusal.Reason.TOO_LONG_FOR_POOL, Incarnation.end(refused).refusal().orElseThrow().reason());
        final CompletionHandle ended = first.submit(new Ask(new int[] {4, 5}, 3, -1, 0));
        first.finish();
        for (int engine = 2; engine <= 3; engine++)
        {
            try (Incarnation next = new Incarnation(run, Incarnation.config(1).build()))
            {
                assertEquals(List.of(refused.requestId(), ended.requestId()),
                    next.resumed().stream().map(CompletionHandle::requestId).toList());
                final CompletionHandle again = resumed(next, refused);
                assertTrue(again.isDone());
                assertEquals(Refusal.Reason.TOO_LONG_FOR_POOL, Incarnation.end(again).refusal().orElseThrow().reason());
                assertEquals(0, again.tokens().length);
            }
        }
    }

    @Test
    void shouldHandOutRowsThatNobodyTookAndNoOthers() throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(1).build());
        final Ask kept = request(1, 20, 4);
        final CompletionHandle taken = first.submit(request(2, 20, 4));
        final CompletionHandle untaken = first.submit(kept);
        first.finish();
        Incarnation.rows(taken);
        try (Incarnation second = new Incarnation(run, Incarnation.config(1).build()))
        {
            assertNull(Incarnation.rows(resumed(second, taken)));
            ContentModel.assertRows(kept, 4, Incarnation.rows(resumed(second, untaken)));
        }
        try (Incarnation third = new Incarnation(run, Incarnation.config(1).build()))
        {
            assertNull(Incarnation.rows(resumed(third, untaken)));
        }
    }

    @Test
    void shouldAdmitWaitingRequestsInTheirOrder() throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(1).ranks(1).maxRunning(1).build());
        for (int i = 0; i < 6; i++)
        {
            first.submit(request(i, 5, 3));
        }
        first.turn(2);
        try (Incarnation second = new Incarnation(run, Incarnation.config(1).ranks(1).maxRunning(1).build()))
        {
            second.finish();
        }
        final List<Long> ends = new ArrayList<>();
        run.read(new EventReader()
        {
            @Override
            protected void onFree(final FreeDecoder free)
            {
                ends.add(free.requestId());
            }
        });
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), ends);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldIgnoreWhatAFormerBackendReportsTooLate(final int depth) throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(depth).build());
        final List<Ask> requests = List.of(request(1, 30, 8), request(2, 3, 12));
        for (final Ask request : requests)
        {
            first.submit(request);
        }
        first.turn(4);
        try (Incarnation second = new Incarnation(run, Incarnation.config(depth).build()))
        {
            for (int i = 0; i < 40; i++)
            {
                first.backend.reportAllTo(second.backend);
                second.turn(1);
            }
            final List<CompletionHandle> handles = second.resumed();
            for (int i = 0; i < handles.size(); i++)
            {
                final Completion ended = Incarnation.end(handles.get(i));
                assertArrayEquals(ContentModel.generated(requests.get(i), requests.get(i).maxNewTokens()), tokens(ended));
            }
            assertEquals(0, lostRanks());
        }
    }

    /** Ranks that a report has cost. */
    private int lostRanks()
    {
        final int[] lost = {0};
        run.read(new EventReader()
        {
            @Override
            protected void onWithdrawn(final WithdrawnDecoder withdrawn)
            {
                lost[0] += withdrawn.cause() == WithdrawalCause.RANK_LOST ? 1 : 0;
            }
        });
        return lost[0];
    }

    @Test
    void shouldAcceptRequestsAgainAfterADrainedEngine() throws Exception
    {
        try (Incarnation first = new Incarnation(run, Incarnation.config(1).build()))
        {
            first.submit(request(1, 5, 1));
            first.drain();
        }
        try (Incarnation second = new Incarnation(run, Incarnation.config(1).build()))
        {
            final CompletionHandle handle = second.submit(request(2, 5, 1));
            second.finish();
            assertEquals(FinishReason.LENGTH, Incarnation.end(handle).reason());
        }
    }

    @Test
    void shouldNeverLetTheTimeOfTheRunGoBack() throws Exception
    {
        final AtomicLong late = new AtomicLong(5_000_000_000L);
        final Incarnation first =
            new Incarnation(run, Incarnation.config(1).build(), late::incrementAndGet, new ContentBackend(2, false));
        first.submitUntil(request(1, 3, 200), late.get() + 1_000);
        first.turn(3);
        final AtomicLong rebooted = new AtomicLong(7);
        try (Incarnation second =
            new Incarnation(run, Incarnation.config(1).build(), rebooted::incrementAndGet, new ContentBackend(2, false)))
        {
            second.turn(3);
            rebooted.addAndGet(1_000);
            second.tick(run.timeNanos(run.groups() - 1) + 1_000);
            second.finish();
            assertEquals(FinishReason.DEADLINE, Incarnation.end(second.resumed().get(0)).reason());
            // A second from now, and not long ago.
            final CompletionHandle later = second.submitWithin(request(4, 4, 1), Duration.ofSeconds(1));
            second.finish();
            assertEquals(FinishReason.LENGTH, Incarnation.end(later).reason());
        }
        for (int group = 1; group < run.groups(); group++)
        {
            assertTrue(run.timeNanos(group) >= run.timeNanos(group - 1), "group " + group);
        }
        assertTrue(run.timeNanos(run.groups() - 1) > 5_000_001_000L);
    }

    @Test
    void shouldHandOutEndsThatNoClientMayHaveSeen() throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(1).build());
        final Ask plain = new Ask(new int[] {4, 5}, 3, -1, 0);
        final CompletionHandle handle = first.submit(plain);
        first.finish();
        try (Incarnation second = new Incarnation(run, Incarnation.config(1).build()))
        {
            final Completion ended = Incarnation.end(resumed(second, handle));
            assertArrayEquals(ContentModel.generated(plain, 3), tokens(ended));
        }
    }

    /** The engine before had the usual one. */
    @Test
    void shouldHandOutTheEndsOfAnEngineWithALargerRingOfGroups() throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(1).build());
        final CompletionHandle handle = first.submit(new Ask(new int[] {4, 5}, 3, -1, 0));
        first.finish();
        for (int i = 0; i < 20; i++)
        {
            first.tick(run.timeNanos(run.groups() - 1));
        }
        try (SteppedEngine second = new SteppedEngine(new EngineConfig().scheduler(Incarnation.config(1).build())
            .backend(new ContentBackend(2, false)).runJournal(run).trackSlots(8)))
        {
            assertEquals(List.of(handle.requestId()),
                second.resumed().stream().map(CompletionHandle::requestId).toList());
        }
    }

    @Test
    void shouldGiveTheBackendTheWeightsThatTheRunHas() throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(1).build());
        first.submit(request(1, 5, 9));
        first.newWeights();
        first.turn(3);
        try (Incarnation second = new Incarnation(run, Incarnation.config(1).build()))
        {
            assertEquals(1, second.backend.weightGeneration());
        }
    }

    @Test
    void shouldCancelARequestOfAFormerEngine() throws Exception
    {
        final Incarnation first = new Incarnation(run, Incarnation.config(1).build());
        first.submit(request(1, 5, 90));
        first.turn(3);
        try (Incarnation second = new Incarnation(run, Incarnation.config(1).build()))
        {
            final CompletionHandle handle = second.resumed().get(0);
            assertTrue(handle.cancel());
            second.finish();
            assertEquals(FinishReason.CANCELLED, Incarnation.end(handle).reason());
        }
    }

    @Test
    void shouldNameTheBackendInTheDescriptionAndRefuseAnotherRun() throws Exception
    {
        new Incarnation(run, Incarnation.config(1).build()).submit(request(1, 5, 90));

        assertEquals("content", run.description().get("backend.name"));
        assertThrows(ConfigException.class, () -> new Incarnation(run, Incarnation.config(1).kvBlocks(41).build()));
    }

    @Test
    void shouldLeaveTheRunAsItWasIfTheBackendDoesNotStart() throws Exception
    {
        new Incarnation(run, Incarnation.config(1).build()).submit(request(1, 5, 9));
        final int before = run.groups();

        assertThrows(IllegalStateException.class, () -> new Incarnation(
            run, Incarnation.config(1).build(), System::nanoTime, new ContentBackend(2, false).refusingToStart()));
        assertEquals(before, run.groups());
    }
}
