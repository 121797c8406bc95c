// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CompletionSink;
import io.signalbox.engine.ring.EngineFailure;
import io.signalbox.event.InputWriter;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The engine's threads never wait for themselves, and closing never waits without need. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineThreadsTest
{
    private static final int SLOTS = 8;

    private final EngineConfig context = new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build()).ingressSlots(SLOTS).trackSlots(SLOTS);

    private static void offerWake(final Engine engine)
    {
        final InputWriter writer = new InputWriter();
        writer.wake().timeNanos(1);
        engine.offer(writer.buffer(), 0, writer.length(), null);
    }

    @ParameterizedTest
    @CsvSource({"ONE, signalbox-(track|scheduler)", "EACH, signalbox-listener"})
    void shouldFailInsteadOfWaitingForAListenerThatOffersMoreThanFits(final HandlerThreads threads, final String thread)
        throws Exception
    {
        final AtomicReference<Engine> engine = new AtomicReference<>();
        final CompletableFuture<Throwable> failure = new CompletableFuture<>();
        final CountDownLatch opened = new CountDownLatch(1);
        engine.set(new ThreadedEngine(context.handlerThreads(threads).backend(new SilentBackend())
            .failureListener(failure::complete).listener((group, offset, length) ->
            {
                assertTrue(isOpen(opened));
                offerWake(engine.get());
                offerWake(engine.get());
            })));
        opened.countDown();
        offerWake(engine.get());
        assertLinesMatch(List.of("the ingress ring is full, and the thread " + thread + " that waits for room in it is " +
            "the one that the scheduler waits for; report or offer from another thread"),
            List.of(failure.get().getMessage()));
        engine.get().close();
    }

    @ParameterizedTest
    @CsvSource({"ONE, signalbox-(track|scheduler)", "EACH, signalbox-dispatch"})
    void shouldFailInsteadOfWaitingForABackendThatReportsMoreThanFitsFromWithinSubmit(
        final HandlerThreads threads, final String thread) throws Exception
    {
        final CompletableFuture<Throwable> failure = new CompletableFuture<>();
        final DelegatingBackend backend = new DelegatingBackend()
        {
            @Override
            void beforeSubmit()
            {
                for (int i = 0; i < 4 * SLOTS; i++)
                {
                    scripted.sink().forward(CompletionSink.NOW, 0, 0, 1, 1);
                }
            }
        };
        final EngineConfig reporting =
            context.handlerThreads(threads).backend(backend).failureListener(failure::complete);
        final EngineClient client = new EngineClient(reporting);
        try (ThreadedEngine engine = new ThreadedEngine(reporting))
        {
            client.connect(engine);
            final CompletionHandle handle =
                client.submit(CompletionRequest.prompt(new int[1]).maxNewTokens(1), Long.MAX_VALUE);
            assertLinesMatch(List.of(".* " + thread + " .*"), List.of(failure.get().getMessage()));
            assertThrows(Exception.class, handle.ended()::get);
        }
    }

    private static boolean isOpen(final CountDownLatch latch)
    {
        try
        {
            latch.await();
            return true;
        }
        catch (final InterruptedException e)
        {
            return false;
        }
    }

    @Test
    void shouldNotCloseAJournalInTheMiddleOfAnAppend() throws Exception
    {
        final GatedJournal journal = new GatedJournal();
        final ThreadedEngine engine =
            new ThreadedEngine(context.backend(new SilentBackend()).journal(journal)
                .closeTimeout(Duration.ofNanos(1_000_000)));
        offerWake(engine);
        journal.awaitFirst();
        final IllegalStateException late = assertThrows(IllegalStateException.class, engine::close);
        final Throwable[] more = late.getSuppressed();
        assertEquals("the journal still had an append under way after 1 ms and is not closed; recover it when this " +
            "process has ended", more[more.length - 1].getMessage());
        assertFalse(journal.recording.isClosed());
        journal.open();
    }

    @Test
    void shouldAwaitItsThreadsAlsoWhenTheClosingThreadIsInterrupted() throws Exception
    {
        final GatedJournal journal = new GatedJournal();
        final ThreadedEngine engine = new ThreadedEngine(context.backend(new SilentBackend()).journal(journal));
        offerWake(engine);
        journal.awaitFirst();
        engine.fail(new IllegalStateException("planted"));
        final Thread closing = new Thread(() ->
        {
            Thread.currentThread().interrupt();
            engine.close();
            assertTrue(Thread.interrupted());
        });
        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING && closing.isAlive())
        {
            Thread.onSpinWait();
        }
        assertFalse(journal.recording.isClosed(), "closed while an append was under way");
        journal.open();
        closing.join();
        assertTrue(journal.recording.isClosed());
    }

    @Test
    void shouldTellTheCauseAndNotTheCloseThatCameBetween()
    {
        final AtomicReference<Throwable> told = new AtomicReference<>();
        final AtomicInteger tellings = new AtomicInteger();
        final EngineFailure failure = new EngineFailure(List.of(cause ->
        {
            told.set(cause);
            tellings.incrementAndGet();
        }), cause -> assertSame(told.get(), cause));
        final IllegalStateException cause = new IllegalStateException("planted");
        failure.fail(cause, () -> failure.end(new IllegalStateException("the engine is closed")));
        assertSame(cause, told.get());
        assertEquals(1, tellings.get());
    }

    /** Under load an engine is never idle. With its own thread, the listener does not hold the scheduler up. */
    @Test
    void shouldNotAwaitInputsThatComeAfterTheEarlierOnesAreDecided() throws Exception
    {
        final CountDownLatch[] passed = {new CountDownLatch(1), new CountDownLatch(1)};
        final AtomicInteger groups = new AtomicInteger();
        context.handlerThreads(HandlerThreads.EACH).listener((group, offset, length) ->
            await(passed[groups.getAndIncrement()]));
        try (ThreadedEngine engine = new ThreadedEngine(context.backend(new SilentBackend())))
        {
            offerWake(engine);
            while (!engine.isDecided())
            {
                Thread.onSpinWait();
            }
            final CompletableFuture<Boolean> delivered = new CompletableFuture<>();
            final Thread caller = new Thread(() -> delivered.complete(engine.awaitDelivered(Long.MAX_VALUE)));
            caller.start();
            // The input is decided, so the caller sleeps only after it has read the end of the track.
            while (caller.getState() != Thread.State.TIMED_WAITING)
            {
                Thread.onSpinWait();
            }
            offerWake(engine);
            assertFalse(delivered.isDone());
            passed[0].countDown();
            assertTrue(delivered.join());
            assertEquals(1, passed[1].getCount(), "the second input waits for its listener");
            passed[1].countDown();
        }
    }

    @ParameterizedTest
    @EnumSource(value = HandlerThreads.class, names = {"ONE", "EACH"})
    void shouldAwaitAStalledListenerForTheGivenTimeOnly(final HandlerThreads threads)
    {
        final CountDownLatch passed = new CountDownLatch(1);
        context.handlerThreads(threads).listener((group, offset, length) -> await(passed));
        try (ThreadedEngine engine = new ThreadedEngine(context.backend(new SilentBackend())))
        {
            assertTrue(engine.awaitDelivered(0), "there is nothing to deliver");
            offerWake(engine);
            assertFalse(engine.awaitDelivered(0));
            assertFalse(engine.awaitDelivered(1_000_000));
            passed.countDown();
            assertTrue(engine.awaitDelivered(Long.MAX_VALUE));
        }
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }
}
