// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * An engine closes even if foreign code does not return and ignores interrupts: the other parts are closed, the requests
 * end, and the caller receives one sentence.
 */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BoundedCloseTest
{
    private static final long BOUND = 20_000_000;
    private static final String LEFT = " within \\S+ m?s; its thread is in \\S+ and is left running; end the process, " +
        "or give a larger closeTimeout";
    private static final String BACKEND = "the backend hanging was not closed" + LEFT;

    /** A call that blocks until the test ends. */
    private enum Place
    {
        SUBMIT, ABORT, CLOSE
    }

    private final CountDownLatch over = new CountDownLatch(1);
    private final RecordingJournal journal = new RecordingJournal();

    @AfterEach
    void end()
    {
        over.countDown();
    }

    private void hang()
    {
        boolean waits = true;
        while (waits)
        {
            try
            {
                over.await();
                waits = false;
            }
            catch (final InterruptedException e)
            {
                // It ignores interrupts.
                waits = true;
            }
        }
    }

    /** Never reports. */
    private class Hanging implements Backend
    {
        private final Place place;
        private final CountDownLatch reached = new CountDownLatch(1);
        private volatile Thread held;
        private volatile CompletionSink sink;

        private Hanging(final Place place)
        {
            this.place = place;
        }

        private void at(final Place here)
        {
            if (here == place)
            {
                held = Thread.currentThread();
                reached.countDown();
                hang();
            }
        }

        @Override
        public BackendCapabilities capabilities()
        {
            return BackendCapabilities.named("hanging").capturesExperts(true).build();
        }

        @Override
        public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
        {
            sink = completions;
        }

        @Override
        public void submit(final StepView plan)
        {
            at(Place.SUBMIT);
            if (place == Place.ABORT)
            {
                new Thread(() -> sink.fault(CompletionSink.NOW, 0, 0, 1, StepFault.RANK_LOST, "planted"),
                    "loss").start();
            }
        }

        @Override
        public void abort(final int rank, final long step)
        {
            at(Place.ABORT);
        }

        @Override
        public void close()
        {
            at(Place.CLOSE);
        }
    }

    private EngineConfig context(final Backend backend)
    {
        return new EngineConfig().scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build()).backend(backend)
            .closeTimeout(Duration.ofNanos(BOUND)).drainTimeout(Duration.ZERO);
    }

    private static CompletionRequest request()
    {
        return CompletionRequest.prompt(new int[20]).maxNewTokens(5);
    }

    /** The sentence of the exception of a close, and of its suppressed exceptions. */
    private static List<String> sentences(final Runnable close)
    {
        final IllegalStateException thrown = assertThrows(IllegalStateException.class, close::run);
        final List<String> sentences = new ArrayList<>(List.of(thrown.getMessage()));
        for (final Throwable suppressed : thrown.getSuppressed())
        {
            sentences.add(suppressed.getMessage());
        }
        return sentences;
    }

    private static void assertSays(final String sentence, final List<String> sentences)
    {
        assertTrue(sentences.stream().anyMatch(each -> each.matches(sentence)), sentences::toString);
    }

    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false"})
    void shouldCloseTheJournalAndEndRequestsIfTheBackendDoesNotClose(final boolean threaded, final boolean interrupted)
        throws Exception
    {
        final EngineConfig context = context(new Hanging(Place.CLOSE)).journal(journal);
        final EngineClient client = new EngineClient(context);
        final Engine engine = threaded ? new ThreadedEngine(context) : new SteppedEngine(context);
        client.connect(engine);
        final CompletionHandle handle = client.submit(request(), Long.MAX_VALUE);
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
        assertSays(BACKEND, sentences(engine::close));
        assertEquals(interrupted, Thread.interrupted());
        assertTrue(journal.isClosed());
        assertTrue(handle.isDone());
        engine.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSayAtTheFrontDoorThatTheBackendDoesNotClose(final boolean now)
    {
        final SignalboxEngine engine = SignalboxEngine.launch(context(new Hanging(Place.CLOSE)).journal(journal));
        final CompletionHandle handle = engine.submit(request());
        assertSays(BACKEND, sentences(now ? engine::closeNow : engine::close));
        assertTrue(journal.isClosed());
        assertTrue(handle.isDone());
        assertTrue(engine.failure().isEmpty());
    }

    /** With few cores, the thread that hangs is also the thread that writes the journal. */
    @ParameterizedTest
    @CsvSource({"SUBMIT, ONE", "SUBMIT, EACH", "ABORT, ONE", "ABORT, EACH"})
    void shouldCloseTheJournalIfTheBackendHoldsAThreadOfTheEngine(final Place place, final HandlerThreads threads)
        throws Exception
    {
        final Hanging backend = new Hanging(place);
        final SignalboxEngine engine =
            SignalboxEngine.launch(context(backend).journal(journal).handlerThreads(threads));
        final CompletionHandle handle = engine.submit(request());
        backend.reached.await();
        sentences(engine::close);
        assertTrue(journal.isClosed());
        assertTrue(handle.isDone());
        final int groups = journal.recorded.size();
        over.countDown();
        backend.held.join();
        assertEquals(groups, journal.recorded.size(), "groups of a closed journal");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReturnIfTheJournalDoesNotClose(final boolean threaded)
    {
        final GroupJournal hanging = new GroupJournal()
        {
            @Override
            public void append(
                final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
            {
            }

            @Override
            public void endOfBatch()
            {
            }

            @Override
            public void close()
            {
                hang();
            }
        };
        final EngineConfig context = context(new SilentBackend()).journal(hanging)
            .closeTimeout(Duration.ofNanos(BOUND / 10));
        final Engine engine = threaded ? new ThreadedEngine(context) : new SteppedEngine(context);
        assertSays("the journal was not closed" + LEFT, sentences(engine::close));
    }

    @Test
    void shouldCloseTheJournalIfAnExecutorOfCallbacksTakesNothing()
    {
        final Executor full = task -> hang();
        final SilentBackend backend = new SilentBackend();
        final SignalboxEngine engine = SignalboxEngine.launch(context(backend).journal(journal).callbacks(full));
        final List<CompletionHandle> handles = List.of(engine.submit(request()), engine.submit(request()));
        handles.forEach(CompletionHandle::completion);
        assertSays("the executors of callbacks did not take the end of every request" + LEFT, sentences(engine::close));
        assertTrue(backend.isClosed());
        assertTrue(journal.isClosed());
        handles.forEach(handle -> assertTrue(handle.isDone(), "a thread that waits for it would wait on"));
    }

    /** If the start of an engine fails, the caller has no engine to close. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSayWhyItDoesNotStartIfTheBackendDoesNotClose(final boolean threaded)
    {
        final Hanging backend = new Hanging(Place.CLOSE)
        {
            @Override
            public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
            {
                throw new IllegalArgumentException("no device");
            }
        };
        final EngineConfig context = context(backend);
        assertEquals("no device", assertThrows(IllegalArgumentException.class,
            () -> assertFalse((threaded ? new ThreadedEngine(context) : new SteppedEngine(context)).isOwnThread()))
            .getMessage());
    }

    /** A backend that owns its engine. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReturnAtOnceIfTheBackendClosesTheEngineThatClosesIt(final boolean threaded)
    {
        final AtomicReference<Engine> engine = new AtomicReference<>();
        final Hanging owner = new Hanging(null)
        {
            @Override
            public void close()
            {
                engine.get().close();
            }
        };
        final EngineConfig context = context(owner).closeTimeout(EngineConfig.FOREVER).journal(journal);
        engine.set(threaded ? new ThreadedEngine(context) : new SteppedEngine(context));
        engine.get().close();
        assertTrue(journal.isClosed());
    }

    /** The listener receives a failure, but not a close. */
    @ParameterizedTest
    @EnumSource(value = HandlerThreads.class)
    void shouldTellTheFailureListenerOfAFailureOnly(final HandlerThreads threads)
    {
        final List<Throwable> told = new ArrayList<>();
        final Consumer<Throwable> listener = told::add;
        final SignalboxEngine orderly = SignalboxEngine.launch(context(new SilentBackend())
            .closeTimeout(EngineConfig.FOREVER).handlerThreads(threads).failureListener(listener));
        orderly.close();
        assertEquals(List.of(), told);
        final ThreadedEngine failing = new ThreadedEngine(context(new SilentBackend()).closeTimeout(EngineConfig.FOREVER)
            .handlerThreads(threads).journal(new FailingJournal(1)).failureListener(listener));
        final InputWriter writer = new InputWriter();
        writer.wake().timeNanos(1);
        failing.offer(writer.buffer(), 0, writer.length(), null);
        failing.close();
        assertEquals(List.of(failing.failure()), told);
    }
}
