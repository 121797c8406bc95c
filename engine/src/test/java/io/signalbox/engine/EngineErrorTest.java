// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.engine.ring.EngineFailure;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An error in any part of an engine stops the engine with its cause; no caller keeps waiting. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineErrorTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);
    private static final long LONG_ENOUGH = 60_000_000_000L;

    /** The place at which the error is thrown. */
    private enum Place
    {
        APPEND, END_OF_BATCH, LISTENER, SUBMIT_TO_BACKEND, CLOCK_OF_TIMER, REPORT, RELEASE_OF_ROWS
    }

    private static List<Error> errors()
    {
        return List.of(new OutOfMemoryError("planted"), new StackOverflowError("planted"),
            new NoClassDefFoundError("planted"));
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void shouldFailWithItsCauseWhereverAnErrorStrikes(final Place place) throws Exception
    {
        for (final Error error : errors())
        {
            strike(place, error);
        }
    }

    private static void strike(final Place place, final Error error) throws Exception
    {
        final Planted planted = new Planted(place, error);
        final List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
        final EngineConfig context = new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).capture(SHAPE).build())
            .backend(planted.backend).journal(planted.journal).clock(planted::clock).ingressSlots(8)
            .listener((group, offset, length) -> planted.strikeAt(Place.LISTENER)).failureListener(told::add);
        final EngineClient client = new EngineClient(context);
        final ThreadedEngine engine = new ThreadedEngine(context);
        client.connect(engine);
        final CompletionHandle handle = client.submit(
            CompletionRequest.prompt(new int[600]).maxNewTokens(50).deadlineAt(Long.MAX_VALUE - 1)
                .routedExperts(0), LONG_ENOUGH);
        engine.awaitProcessed();
        planted.armed = true;
        if (place == Place.CLOCK_OF_TIMER)
        {
            planted.timerOnly = true;
        }
        else
        {
            assertStruck(() -> planted.backend.complete(0, planted));
        }
        final ExecutionException ended =
            assertThrows(ExecutionException.class, () -> handle.ended().get(60, TimeUnit.SECONDS));
        assertSame(error, ended.getCause());
        assertSame(error, engine.failure());
        planted.armed = false;
        assertThrows(IllegalStateException.class, engine::awaitProcessed);
        assertThrows(IllegalStateException.class,
            () -> client.submit(CompletionRequest.prompt(new int[3]).maxNewTokens(1), LONG_ENOUGH));
        assertThrows(IllegalStateException.class, () -> client.takeRows(handle, LONG_ENOUGH));
        engine.close();
        assertEquals(List.of(error), told);
    }

    /** In the thread that resets ranks, which no ring feeds. */
    @Test
    void shouldFailWithItsCauseWhenTheResetOfARankStrikes() throws Exception
    {
        for (final Error error : errors())
        {
            final ResettingBackend backend = new ResettingBackend(error);
            final List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
            final EngineConfig config = new EngineConfig()
                .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build()).backend(backend)
                .failureListener(told::add);
            final SignalboxEngine engine = SignalboxEngine.launch(config);
            final CompletionHandle request = engine.submit(CompletionRequest.prompt(new int[3]).maxNewTokens(5));
            final ExecutionException ended = assertThrows(
                ExecutionException.class, () -> request.completion().toCompletableFuture().get(60, TimeUnit.SECONDS));
            assertSame(error, ended.getCause());
            assertThrows(IllegalStateException.class, () -> engine.submit(CompletionRequest.prompt(new int[3])));
            engine.close();
            assertEquals(List.of(error), told);
        }
    }

    /** Loses its rank with the first step, and throws when it is to be reset. */
    private static final class ResettingBackend extends DelegatingBackend
    {
        private final Error error;

        ResettingBackend(final Error error)
        {
            this.error = error;
        }

        @Override
        public BackendCapabilities capabilities()
        {
            return BackendCapabilities.named("resetting").resetsRanks(true).build();
        }

        @Override
        void beforeSubmit()
        {
            scripted.sink().fault(System.nanoTime(), 0, 0, 1, StepFault.RANK_LOST, "planted");
        }

        @Override
        public boolean reset(final int rank)
        {
            throw error;
        }
    }

    /** Only an error in a report is thrown in the thread of the caller. */
    private static void assertStruck(final Runnable report)
    {
        try
        {
            report.run();
        }
        catch (final Error | IllegalStateException e)
        {
            assertTrue(e instanceof Error || e.getMessage().startsWith("the engine has failed"), e.toString());
        }
    }

    @Test
    void shouldTellEveryoneAlsoWhenAFailureListenerThrows() throws Exception
    {
        final AtomicInteger told = new AtomicInteger();
        final Consumer<Throwable> failing = cause ->
        {
            told.incrementAndGet();
            throw new IllegalArgumentException("planted in the failure listener");
        };
        final EngineConfig context = new EngineConfig().scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build())
            .backend(new SilentBackend()).journal(new FailingJournal(1)).failureListener(failing);
        final EngineClient client = new EngineClient(context);
        final ThreadedEngine engine = new ThreadedEngine(context);
        client.connect(engine);
        final CompletionHandle handle = client.submit(CompletionRequest.prompt(new int[3]).maxNewTokens(1), LONG_ENOUGH);
        assertThrows(ExecutionException.class, () -> handle.ended().get(60, TimeUnit.SECONDS));
        engine.close();
        assertEquals(1, told.get());
        assertEquals("planted in the failure listener", engine.failure().getSuppressed()[0].getMessage());
    }

    @Test
    void shouldTellAgainWhenTellingRunsOutOfMemory()
    {
        final AtomicInteger tries = new AtomicInteger();
        final List<String> told = new ArrayList<>();
        final EngineFailure failure = new EngineFailure(List.of(
            cause ->
            {
                if (tries.incrementAndGet() < 4)
                {
                    throw new OutOfMemoryError("planted");
                }
                told.add("first: " + cause.getMessage());
            },
            cause -> told.add("second: " + cause.getMessage())), cause -> told.add("listener: " + cause.getMessage()));
        failure.fail(new OutOfMemoryError("the heap is full"), () -> { });
        failure.end(new IllegalStateException("too late"));
        assertEquals(List.of("first: the heap is full", "second: the heap is full", "listener: the heap is full"), told);
    }

    /** A whole process whose heap runs full of rows that nobody takes, because the bound is above the heap. */
    @Test
    void shouldEndEveryHandleWhenTheHeapIsExhausted() throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx40m", "-XX:+UseSerialGC",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
            ExhaustedHeap.class.getName()).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(output.contains("told [java.lang.OutOfMemoryError"), output);
        assertTrue(output.contains("handles that never ended: 0"), output);
        assertEquals(0, process.waitFor(), output);
    }

    /** Throws an error at one place once armed. */
    private static final class Planted
    {
        private final Place place;
        private final Error error;
        private final StrikingBackend backend = new StrikingBackend(this);
        private final StrikingJournal journal = new StrikingJournal(this);
        private volatile boolean armed;
        private volatile boolean timerOnly;

        Planted(final Place place, final Error error)
        {
            this.place = place;
            this.error = error;
        }

        void strikeAt(final Place here)
        {
            if (armed && place == here)
            {
                throw error;
            }
        }

        long clock()
        {
            if (timerOnly)
            {
                strikeAt(Place.CLOCK_OF_TIMER);
            }
            return 1;
        }
    }

    /** Throws the error in a scripted backend. */
    private static final class StrikingBackend extends DelegatingBackend
    {
        private final Planted planted;

        StrikingBackend(final Planted planted)
        {
            this.planted = planted;
        }

        @Override
        void beforeSubmit()
        {
            planted.strikeAt(Place.SUBMIT_TO_BACKEND);
        }

        void complete(final int rank, final Planted by)
        {
            final PlannedStep plan = scripted.plan(rank);
            final HeapSlice rows = scripted.rows(plan.tokens());
            scripted.sink().d2hComplete(CompletionSink.NOW, plan.epoch(), rank, plan.step(), plan.sampled(),
                new StrikingSlice(rows, by));
        }
    }

    /** Throws when it is read or released. */
    private record StrikingSlice(HeapSlice rows, Planted planted) implements CaptureSlice
    {
        @Override
        public DirectBuffer buffer()
        {
            planted.strikeAt(Place.REPORT);
            return rows.buffer();
        }

        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public int rowCount()
        {
            return rows.rowCount();
        }

        @Override
        public int rowBytes()
        {
            return rows.rowBytes();
        }

        @Override
        public void release()
        {
            planted.strikeAt(Place.RELEASE_OF_ROWS);
            rows.release();
        }
    }

    /** Throws when it is written. */
    private record StrikingJournal(Planted planted) implements GroupJournal
    {
        @Override
        public void append(
            final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
        {
            planted.strikeAt(Place.APPEND);
        }

        @Override
        public void endOfBatch()
        {
            planted.strikeAt(Place.END_OF_BATCH);
        }

        @Override
        public void close()
        {
        }
    }

    /** Fills a small heap. */
    static final class ExhaustedHeap
    {
        private static final int PROMPT = 4000;

        private ExhaustedHeap()
        {
        }

        public static void main(final String[] args) throws Exception
        {
            final ModelShape shape = new ModelShape(58, 256, 8);
            final ScriptedBackend backend = new ScriptedBackend();
            final List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
            final EngineConfig context = new EngineConfig()
                .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(1024).prefixCaching(false).capture(shape).build())
                .backend(backend).failureListener(told::add).maxUntakenRowsBytes(Long.MAX_VALUE - 1)
                .ingressSlots(16).trackSlots(16);
            final EngineClient client = new EngineClient(context);
            final ThreadedEngine engine = new ThreadedEngine(context);
            client.connect(engine);
            final byte[] rows = new byte[PROMPT * shape.rowBytes()];
            for (int i = 0; i < rows.length; i++)
            {
                rows[i] = (byte)(i % shape.topK());
            }
            final List<CompletionHandle> handles = new ArrayList<>();
            final int[] prompt = new int[PROMPT];
            while (engine.failure() == null)
            {
                try
                {
                    handles.add(client.submit(
                        CompletionRequest.prompt(prompt).maxNewTokens(1).routedExperts(0), LONG_ENOUGH));
                    engine.awaitProcessed();
                    final PlannedStep plan = backend.plan(0);
                    backend.sink().d2hComplete(
                        CompletionSink.NOW, plan.epoch(), 0, plan.step(), plan.sampled(), new KeptSlice(rows, shape));
                    engine.awaitProcessed();
                }
                catch (final IllegalStateException | OutOfMemoryError e)
                {
                    System.out.println("the client was told: " + e);
                }
            }
            final int open = awaitEnds(handles);
            engine.close();
            System.out.println("told " + told);
            System.out.println("handles that never ended: " + open);
        }

        /** Returns the number of handles that do not end. */
        private static int awaitEnds(final List<CompletionHandle> handles) throws InterruptedException
        {
            int open = 0;
            for (final CompletionHandle handle : handles)
            {
                try
                {
                    handle.ended().get(60, TimeUnit.SECONDS);
                }
                catch (final ExecutionException e)
                {
                    System.out.println("a handle failed: " + e.getCause());
                }
                catch (final TimeoutException e)
                {
                    open++;
                }
            }
            return open;
        }
    }

    /** Rows that outlive their release. */
    private record KeptSlice(byte[] rows, ModelShape shape) implements CaptureSlice
    {
        @Override
        public DirectBuffer buffer()
        {
            return new UnsafeBuffer(rows);
        }

        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public int rowCount()
        {
            return rows.length / shape.rowBytes();
        }

        @Override
        public int rowBytes()
        {
            return shape.rowBytes();
        }

        @Override
        public void release()
        {
        }
    }
}
