// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.InputWriter;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Embedders that call an engine from a wrong thread, with a wrong object or at a wrong time. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineMisuseTest
{
    private static final long LONG_ENOUGH = 30_000_000_000L;

    private final SchedulerConfig config = SchedulerConfig.builder().ranks(1).kvBlocks(64).build();

    private EngineConfig context()
    {
        return new EngineConfig().scheduler(config).backend(new SilentBackend());
    }

    private static void offerWake(final Engine engine)
    {
        final InputWriter writer = new InputWriter();
        writer.wake().timeNanos(1);
        engine.offer(writer.buffer(), 0, writer.length(), null);
    }

    @Test
    void shouldRefuseASecondThreadInASteppedEngineAndAwaitTheFirstOnClose() throws Exception
    {
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch leave = new CountDownLatch(1);
        final RecordingJournal journal = new RecordingJournal();
        final SteppedEngine engine = new SteppedEngine(context().journal(journal).listener((group, offset, length) ->
        {
            inside.countDown();
            await(leave);
        }));
        final Thread first = new Thread(() -> offerWake(engine), "the first");
        first.start();
        inside.await();
        assertEquals("the thread the first is within the engine; a stepped engine takes inputs from one thread at a time",
            assertThrows(IllegalStateException.class, () -> offerWake(engine)).getMessage());
        final Thread closing = new Thread(engine::close);
        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING)
        {
            Thread.onSpinWait();
        }
        assertFalse(journal.isClosed(), "closed while an input was under way");
        leave.countDown();
        first.join();
        closing.join();
        assertTrue(journal.isClosed());
        assertEquals("the engine is closed",
            assertThrows(IllegalStateException.class, () -> offerWake(engine)).getMessage());
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

    @Test
    void shouldRefuseToCloseFromWithinTheListener()
    {
        final AtomicReference<SteppedEngine> engine = new AtomicReference<>();
        final AtomicReference<Throwable> refusal = new AtomicReference<>();
        engine.set(new SteppedEngine(context().listener((group, offset, length) ->
            refusal.set(assertThrows(IllegalStateException.class, engine.get()::close)))));
        offerWake(engine.get());
        assertEquals("the engine is asked to close from within the backend, the journal or the listener; close it from " +
            "outside", refusal.get().getMessage());
        offerWake(engine.get());
        engine.get().close();
    }

    @Test
    void shouldRefuseAHandleOfAnotherClient() throws Exception
    {
        final EngineConfig firstContext = context();
        final EngineClient first = new EngineClient(firstContext);
        final EngineConfig secondContext = context();
        final EngineClient second = new EngineClient(secondContext);
        try (SteppedEngine one = new SteppedEngine(firstContext); SteppedEngine two = new SteppedEngine(secondContext))
        {
            first.connect(one);
            second.connect(two);
            final CompletionHandle handle = first.submit(CompletionRequest.prompt(new int[3]).maxNewTokens(1), LONG_ENOUGH);
            final CompletionHandle sameId = second.submit(CompletionRequest.prompt(new int[3]).maxNewTokens(1), LONG_ENOUGH);
            assertEquals(handle.requestId(), sameId.requestId());
            assertEquals("the handle of request 1 is of another client",
                assertThrows(IllegalArgumentException.class, () -> second.cancel(handle, LONG_ENOUGH)).getMessage());
            assertThrows(IllegalArgumentException.class, () -> second.takeRows(handle, LONG_ENOUGH));
        }
    }

    /** A thread of the engine that waits for all inputs to pass waits for itself. */
    @Test
    void shouldRefuseToAwaitFromWithinTheListener()
    {
        final AtomicReference<Engine> engine = new AtomicReference<>();
        final AtomicReference<Throwable> refusal = new AtomicReference<>();
        engine.set(new ThreadedEngine(context().handlerThreads(HandlerThreads.EACH).listener((group, offset, length) ->
        {
            refusal.set(assertThrows(IllegalStateException.class, engine.get()::awaitProcessed));
            refusal.get().addSuppressed(assertThrows(IllegalStateException.class, engine.get()::close));
        })));
        offerWake(engine.get());
        engine.get().awaitProcessed();
        engine.get().close();
        assertEquals("awaitProcessed was called by the engine's own thread signalbox-listener, which would wait for " +
            "itself; call it from another thread", refusal.get().getMessage());
        assertEquals("close was called by the engine's own thread signalbox-listener, which would wait for itself; call " +
            "it from another thread", refusal.get().getSuppressed()[0].getMessage());
    }

    @Test
    void shouldRefuseToAwaitFromWithinTheListenerOfASteppedEngine()
    {
        final AtomicReference<Engine> engine = new AtomicReference<>();
        final AtomicReference<Throwable> refusal = new AtomicReference<>();
        engine.set(new SteppedEngine(context().listener((group, offset, length) ->
            refusal.set(assertThrows(IllegalStateException.class, engine.get()::awaitProcessed)))));
        offerWake(engine.get());
        engine.get().awaitProcessed();
        engine.get().close();
        assertEquals("awaitProcessed was called from within the backend, the journal or the listener, while an input is " +
            "being processed; call it after offer has returned", refusal.get().getMessage());
    }

    @Test
    void shouldOpenOneEngineOnAContext()
    {
        final EngineConfig context = context();
        new SteppedEngine(context).close();
        assertEquals("an EngineConfig has been used to open an engine; make one for each engine, with a " +
            "separate journal.",
            assertThrows(ConfigException.class, () -> new ThreadedEngine(context)).getMessage());
    }

    @Test
    void shouldRefuseSettingsThatAreNull()
    {
        final EngineConfig context = context();
        final List<Executable> settings = List.of(
            () -> context.scheduler(null), () -> context.backend(null), () -> context.journal(null),
            () -> context.listener(null), () -> context.failureListener(null),
            () -> context.clock(null));
        for (final Executable setting : settings)
        {
            final String message = assertThrows(ConfigException.class, setting).getMessage();
            assertTrue(message.endsWith(" of an EngineConfig is null; give one, or leave the setting out."), message);
        }
    }

    @Test
    void shouldEndItsThreadsAndCloseTheBackendWhenTheBackendDoesNotStart()
    {
        final IllegalStateException planted = new IllegalStateException("planted");
        final UnstartableBackend backend = new UnstartableBackend(planted);
        final AtomicReference<Throwable> told = new AtomicReference<>();
        final EngineConfig context =
            new EngineConfig().scheduler(config).backend(backend).failureListener(told::set);
        assertSame(planted, assertThrows(IllegalStateException.class, () -> new ThreadedEngine(context)));
        assertSame(planted, told.get());
        assertTrue(backend.closed);
    }

    /** Throws when it is started. */
    private static final class UnstartableBackend extends DelegatingBackend
    {
        private final RuntimeException failure;
        private boolean closed;

        UnstartableBackend(final RuntimeException failure)
        {
            this.failure = failure;
        }

        @Override
        void beforeSubmit()
        {
        }

        @Override
        public void start(
            final int ranks,
            final ModelShape shape,
            final CompletionSink completions)
        {
            throw failure;
        }

        @Override
        public void close()
        {
            closed = true;
        }
    }

    @Test
    void shouldKeepTheEngineRunningAfterAPublishersMistake()
    {
        try (ThreadedEngine engine = new ThreadedEngine(context()))
        {
            final InputWriter writer = new InputWriter();
            for (int length = -1; length < 8; length++)
            {
                final int tooShort = length;
                assertThrows(IllegalArgumentException.class, () -> engine.offer(writer.buffer(), 0, tooShort, null));
            }
            offerWake(engine);
            engine.awaitProcessed();
            assertNull(engine.failure());
        }
    }
}
