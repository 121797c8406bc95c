// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.event.InputWriter;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineCloseTest
{
    private static final long SECOND = 1_000_000_000L;

    private final SchedulerConfig config = SchedulerConfig.builder().ranks(1).kvBlocks(64).build();

    private EngineConfig context(final Backend backend)
    {
        return new EngineConfig().scheduler(config).backend(backend).ingressSlots(8).trackSlots(8);
    }

    private static Engine open(final boolean threaded, final EngineConfig context)
    {
        return threaded ? new ThreadedEngine(context) : new SteppedEngine(context);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCompleteOpenHandlesExceptionally(final boolean threaded) throws Exception
    {
        final EngineConfig context = context(new SilentBackend());
        final EngineClient client = new EngineClient(context);
        final Engine engine = open(threaded, context);
        client.connect(engine);
        final CompletionHandle handle = client.submit(CompletionRequest.prompt(new int[20]).maxNewTokens(5), SECOND);
        engine.close();
        final CompletionException end = assertThrows(CompletionException.class, () -> handle.ended().join());
        assertEquals("the engine is closed", end.getCause().getMessage());
        assertThrows(IllegalStateException.class,
            () -> client.submit(CompletionRequest.prompt(new int[20]).maxNewTokens(5), SECOND));
        assertThrows(IllegalStateException.class, () -> client.takeRows(handle, SECOND));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCloseTheJournalEvenIfTheBackendCannotClose(final boolean threaded)
    {
        final RecordingJournal journal = new RecordingJournal();
        final List<Throwable> told = new ArrayList<>();
        final Engine engine =
            open(threaded, context(new UnclosableBackend()).journal(journal).failureListener(told::add));
        final IllegalStateException failure = assertThrows(IllegalStateException.class, engine::close);
        assertEquals("the device is gone", failure.getMessage());
        assertTrue(journal.isClosed());
        assertEquals(List.of(), told, "the engine did not stop by itself");
        engine.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCloseBackendAndJournalAfterAFailureAndTellItsCauseOnly(final boolean threaded)
    {
        final SilentBackend backend = new SilentBackend();
        final FailingJournal journal = new FailingJournal(1);
        final AtomicInteger told = new AtomicInteger();
        final Engine engine = open(
            threaded, context(backend).journal(journal).failureListener(cause -> told.incrementAndGet()));
        assertThrows(IllegalStateException.class, () ->
        {
            while (true)
            {
                offerWake(engine, new InputWriter());
            }
        });
        engine.close();
        assertTrue(backend.isClosed());
        assertTrue(journal.isClosed());
        assertEquals(1, told.get());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCloseBackendAndRunIfTheJournalRefusesBehindTheStartOfTheBackend(final boolean threaded)
    {
        final SilentBackend backend = new SilentBackend();
        final UnwritableRun run = new UnwritableRun();
        final EngineConfig context = context(backend).runJournal(description -> run);
        final IllegalStateException failure = assertThrows(IllegalStateException.class, () -> open(threaded, context));
        assertEquals("the disk is full", failure.getMessage());
        assertTrue(backend.isClosed());
        assertTrue(run.closed);
    }

    @Test
    void shouldLaunchNoStepOnceClosing() throws Exception
    {
        final SilentBackend backend = new SilentBackend();
        final GatedJournal journal = new GatedJournal();
        final EngineConfig context = context(backend).journal(journal);
        final EngineClient client = new EngineClient(context);
        final ThreadedEngine engine = new ThreadedEngine(context);
        client.connect(engine);
        final CompletionHandle handle = client.submit(CompletionRequest.prompt(new int[20]).maxNewTokens(5), SECOND);
        journal.awaitFirst();
        final CompletableFuture<Void> closed = CompletableFuture.runAsync(engine::close);
        while (!engine.isClosing())
        {
            Thread.onSpinWait();
        }
        assertFalse(backend.isClosed(), "before the rings are empty");
        journal.open();
        closed.join();
        assertEquals(0, backend.submitted());
        assertTrue(backend.isClosed());
        assertFalse(journal.recording.recorded.isEmpty(), "what was offered is journaled");
        assertThrows(CompletionException.class, () -> handle.ended().join());
    }

    @Test
    void shouldJournalEveryOfferThatWasNotRefused() throws Exception
    {
        for (int round = 0; round < 20; round++)
        {
            final RecordingJournal journal = new RecordingJournal();
            final ThreadedEngine engine = new ThreadedEngine(
                context(new SilentBackend()).journal(journal).wakeSource(EngineConfig.WakeSource.CALLER));
            final AtomicInteger taken = new AtomicInteger();
            final List<Thread> producers = producers(8, engine, taken);
            while (taken.get() < 100)
            {
                Thread.onSpinWait();
            }
            engine.close();
            for (final Thread producer : producers)
            {
                producer.join();
            }
            assertEquals(taken.get(), journal.recorded.size());
        }
    }

    @Test
    void shouldLeaveNoProducerWaitingAfterAFailure() throws Exception
    {
        for (int round = 0; round < 20; round++)
        {
            final ThreadedEngine engine =
                new ThreadedEngine(context(new SilentBackend()).journal(new FailingJournal(300)));
            for (final Thread producer : producers(32, engine, new AtomicInteger()))
            {
                producer.join();
            }
            engine.close();
        }
    }

    /** Threads that offer until they are refused. */
    private static List<Thread> producers(final int count, final Engine engine, final AtomicInteger taken)
    {
        final List<Thread> producers = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final Thread producer = new Thread(() ->
            {
                final InputWriter writer = new InputWriter();
                assertThrows(IllegalStateException.class, () ->
                {
                    while (true)
                    {
                        offerWake(engine, writer);
                        taken.incrementAndGet();
                    }
                });
            });
            producer.setDaemon(true);
            producer.start();
            producers.add(producer);
        }
        return producers;
    }

    private static void offerWake(final Engine engine, final InputWriter writer)
    {
        writer.wake().timeNanos(1);
        engine.offer(writer.buffer(), 0, writer.length(), null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReleaseTheRowsOfAnInputThatItRefuses(final boolean threaded)
    {
        final Engine engine = open(threaded, context(new SilentBackend()));
        engine.close();
        final HeapSlice rows = HeapSlice.empty();
        final InputWriter writer = new InputWriter();
        writer.wake().timeNanos(1);
        assertThrows(IllegalStateException.class, () -> engine.offer(writer.buffer(), 0, writer.length(), rows));
        assertEquals(1, rows.releases());
    }

    @Test
    void shouldCloseOnceForTwoCallers()
    {
        for (int round = 0; round < 50; round++)
        {
            final RecordingJournal journal = new RecordingJournal();
            final ThreadedEngine engine = new ThreadedEngine(context(new SilentBackend()).journal(journal));
            final CompletableFuture<Void> other = CompletableFuture.runAsync(() ->
            {
                engine.close();
                assertTrue(journal.isClosed(), "the other caller returned too early");
            });
            engine.close();
            assertTrue(journal.isClosed());
            other.join();
        }
    }

    /** A new run of which no journal can be opened. */
    private static final class UnwritableRun implements RecordedRun
    {
        private boolean closed;

        @Override
        public void replay(final Scheduler scheduler, final GroupListener follower)
        {
        }

        @Override
        public long groups()
        {
            return 0;
        }

        @Override
        public long lastTimeNanos()
        {
            return 0;
        }

        @Override
        public GroupJournal journal()
        {
            throw new IllegalStateException("the disk is full");
        }

        @Override
        public void close()
        {
            closed = true;
        }
    }
}
