// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The handlers of the track without a thread for each: the scheduler's thread does their work while there is little. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedTrackTest
{
    private static final String SCHEDULER = "signalbox-scheduler";
    private static final String TRACK = "signalbox-track";

    private final Set<String> callers = ConcurrentHashMap.newKeySet();
    private final NamingJournal journal = new NamingJournal();

    private EngineConfig config()
    {
        return new EngineConfig().scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(257).build())
            .backend(new CountingBackend(0)).journal(journal).handlerThreads(HandlerThreads.ONE)
            .ingressSlots(64).trackSlots(8);
    }

    /** Waits until the track's thread sleeps. */
    private static void awaitSleep()
    {
        final Thread[] threads = new Thread[2 * Thread.activeCount() + 10];
        final int count = Thread.enumerate(threads);
        for (int i = 0; i < count; i++)
        {
            while (threads[i].getName().equals(TRACK) && threads[i].getState() != Thread.State.WAITING &&
                threads[i].isAlive())
            {
                Thread.onSpinWait();
            }
        }
    }

    private static int tokens(final SignalboxEngine engine, final int count) throws Exception
    {
        final List<CompletionHandle> requests = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            requests.add(engine.submit(CompletionRequest.prompt(new int[] {i, 1, 2}).maxNewTokens(3)));
        }
        int tokens = 0;
        for (final CompletionHandle request : requests)
        {
            tokens += request.await().tokenCount();
        }
        return tokens;
    }

    @Test
    void shouldLeaveTheTracksThreadAsleepForARequestThatIsAlone() throws Exception
    {
        journal.waits = false;
        try (SignalboxEngine engine = SignalboxEngine.launch(config()))
        {
            awaitSleep();
            assertEquals(3, tokens(engine, 1));
            assertTrue(callers.contains(SCHEDULER), callers::toString);
        }
        assertEquals(1, journal.most.get(), "calls at a time");
    }

    @Test
    void shouldUseTheTracksThreadForAJournalThatMayWait() throws Exception
    {
        journal.waits = true;
        try (SignalboxEngine engine = SignalboxEngine.launch(config()))
        {
            awaitSleep();
            assertEquals(3 * 20, tokens(engine, 20));
        }
        assertEquals(Set.of(TRACK), callers);
    }

    /** Pauses let the track's thread fall asleep, so that the two threads take turns. */
    @Test
    void shouldPassTheTrackFromThreadToThread() throws Exception
    {
        journal.waits = false;
        try (SignalboxEngine engine = SignalboxEngine.launch(config()))
        {
            for (int round = 0; round < 24; round++)
            {
                if (round % 8 == 0)
                {
                    awaitSleep();
                }
                final int count = 1 + round % 40;
                assertEquals(3 * count, tokens(engine, count));
            }
            assertTrue(engine.failure().isEmpty());
        }
        assertEquals(1, journal.most.get(), "calls at a time");
        assertTrue(callers.size() <= 2, callers::toString);
    }

    @Test
    void shouldNotWaitForASleepingThreadIfMoreComesThanTheTrackHolds() throws Exception
    {
        journal.waits = false;
        final CountDownLatch submitted = new CountDownLatch(1);
        try (SignalboxEngine engine = SignalboxEngine.launch(config()))
        {
            final List<FutureTask<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++)
            {
                clients.add(new FutureTask<>(() ->
                {
                    submitted.await();
                    return tokens(engine, 30);
                }));
                new Thread(clients.get(i), "client-" + i).start();
            }
            submitted.countDown();
            for (final FutureTask<Integer> client : clients)
            {
                assertEquals(90, client.get());
            }
        }
    }

    /** A credit comes back when a group is visible; the slot of its input must be free by then. */
    @ParameterizedTest
    @EnumSource(HandlerThreads.class)
    void shouldFindRoomForReportsFromWithinSubmitHoweverFullTheRingsAre(final HandlerThreads threads) throws Exception
    {
        journal.waits = false;
        final EngineConfig config = config().backend(new InstantBackend()).handlerThreads(threads)
            .submitWait(EngineConfig.FOREVER);
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final List<FutureTask<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++)
            {
                clients.add(new FutureTask<>(() -> tokens(engine, 100)));
                new Thread(clients.get(i), "client-" + i).start();
            }
            for (final FutureTask<Integer> client : clients)
            {
                assertEquals(300, client.get());
            }
        }
    }

    /** Reports each step within the call that submits it. */
    private static final class InstantBackend extends CountingBackend
    {
        private CompletionSink sink;

        InstantBackend()
        {
            super(0);
        }

        @Override
        public void start(final int count, final ModelShape shape, final CompletionSink completions)
        {
            sink = completions;
        }

        @Override
        public void submit(final StepView step)
        {
            final StepTokens tokens = new StepTokens().begin(step);
            for (int i = 0; i < step.entryCount(); i++)
            {
                tokens.entry(step.start(i));
                if (step.samples(i))
                {
                    tokens.accept(i);
                }
            }
            sink.forward(CompletionSink.NOW, step.epoch(), step.rank(), step.step(), 0);
            sink.d2hComplete(CompletionSink.NOW, step.epoch(), step.rank(), step.step(), tokens, null);
        }
    }

    /** The plan of a step and its result may share a sync; no result is visible without one. */
    @Test
    void shouldSyncBeforeEachResult() throws Exception
    {
        journal.waits = true;
        final AtomicInteger early = new AtomicInteger();
        final GroupListener listener = (group, offset, length) ->
            early.addAndGet(journal.shown.incrementAndGet() > journal.synced ? 1 : 0);
        try (SignalboxEngine engine = SignalboxEngine.launch(config().listener(listener)))
        {
            for (int i = 0; i < 50; i++)
            {
                assertEquals(3, tokens(engine, 1));
            }
        }
        assertEquals(0, early.get(), "groups that were visible before their sync");
        assertTrue(journal.shown.get() > 0);
        assertEquals(journal.appended, journal.synced);
    }

    /** Knows its callers, and how many of them there are at a time. */
    private final class NamingJournal implements GroupJournal
    {
        private final AtomicInteger current = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final AtomicInteger shown = new AtomicInteger();
        private volatile boolean waits;
        private volatile int appended;
        private volatile int synced;

        @Override
        public void append(
            final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
        {
            callers.add(Thread.currentThread().getName());
            most.accumulateAndGet(current.incrementAndGet(), Math::max);
            Thread.yield();
            current.decrementAndGet();
            appended = appended + 1;
        }

        @Override
        public void endOfBatch()
        {
            synced = appended;
        }

        @Override
        public boolean neverWaits()
        {
            return !waits;
        }

        @Override
        public void close()
        {
        }
    }
}
