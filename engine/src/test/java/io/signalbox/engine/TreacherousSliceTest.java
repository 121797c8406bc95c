// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A capture slice that throws at any of its calls leaves no step without an answer. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TreacherousSliceTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);
    private static final int MANY_CALLS = 200;
    /** More rows than an input carries inside. */
    private static final int CHUNKED_TOKENS = 600;
    /** Behind a Submit and a Wake. */
    private static final int FIRST_COMPLETION = 3;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final EngineConfig context = new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).backOffNanos(0).maxFailures(0).capture(SHAPE).build())
        .backend(backend);
    private final EngineClient client = new EngineClient(context);
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAnswerTheStepAtWhicheverCallTheSliceThrows(final boolean impossibleIds) throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(CompletionRequest.prompt(new int[40]).maxNewTokens(1), 1);
            int call = 0;
            long step = 0;
            while (!handle.ended().isDone() && call < MANY_CALLS && backend.plan(0).step() > step)
            {
                step = backend.plan(0).step();
                final ThrowingSlice slice = new ThrowingSlice(++call, false, impossibleIds);
                backend.sink().d2hComplete(CompletionSink.NOW, 0, 0, step, backend.plan(0).sampled(), slice);
                assertEquals(1, slice.releases);
            }
            assertEquals(FinishReason.LENGTH, handle.ended().get(60, TimeUnit.SECONDS).reason());
            assertTrue(call > 5, "the slice threw at each of its calls: " + call);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 40})
    void shouldPassTheResultsOnBeforeASliceCanThrowOnItsRelease(final int prompt) throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(CompletionRequest.prompt(new int[prompt]).maxNewTokens(1), 1);
            final ThrowingSlice slice = new ThrowingSlice(0, true, false, prompt);
            assertThrows(IllegalArgumentException.class,
                () -> backend.sink().d2hComplete(CompletionSink.NOW, 0, 0, 1, backend.plan(0).sampled(), slice));
            assertEquals(1, slice.releases);
            assertEquals(FinishReason.LENGTH, handle.ended().get(60, TimeUnit.SECONDS).reason());
        }
    }

    /** The journal's failure is the cause; the exception of the slice's release is added to it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotHideTheFailureOfTheJournal(final boolean threads) throws Exception
    {
        context.journal(new FailingJournal(FIRST_COMPLETION)).failureListener(failure::complete);
        final Engine engine = threads ? new ThreadedEngine(context) : new SteppedEngine(context);
        client.connect(engine);
        client.submit(CompletionRequest.prompt(new int[CHUNKED_TOKENS]).maxNewTokens(1), 1_000_000_000L);
        while (backend.plan(0) == null)
        {
            Thread.onSpinWait();
        }
        final ThrowingSlice slice = new ThrowingSlice(0, true, false, CHUNKED_TOKENS);
        try
        {
            backend.sink().d2hComplete(CompletionSink.NOW, 0, 0, 1, backend.plan(0).sampled(), slice);
        }
        catch (final IllegalStateException e)
        {
            assertFalse(threads, "the failure is the journal's thread's: " + e);
        }
        final Throwable cause = failure.get(60, TimeUnit.SECONDS);
        assertEquals("planted failure of the journal", cause.getMessage());
        assertEquals("planted", cause.getSuppressed()[0].getMessage());
        assertEquals(1, slice.releases);
        engine.close();
    }

    @Test
    void shouldNotHideWhyAnInputWasRefused()
    {
        for (final Engine engine : List.of(new SteppedEngine(context), new ThreadedEngine(otherContext())))
        {
            final ThrowingSlice slice = new ThrowingSlice(0, true, false);
            final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
                () -> engine.offer(new UnsafeBuffer(new byte[3]), 0, 3, slice));
            assertEquals("an input of 3 bytes is shorter than its header of 8 bytes", refusal.getMessage());
            assertEquals("planted", refusal.getSuppressed()[0].getMessage());
            assertEquals(1, slice.releases);
            engine.close();
        }
    }

    private static EngineConfig otherContext()
    {
        return new EngineConfig().scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).capture(SHAPE).build())
            .backend(new ScriptedBackend());
    }

    /** Throws at one of its calls. */
    private static final class ThrowingSlice implements CaptureSlice
    {
        private final UnsafeBuffer rows;
        private final int rowCount;
        private final int throwingCall;
        private final boolean throwsOnRelease;
        private int calls;
        private int releases;

        ThrowingSlice(final int throwingCall, final boolean throwsOnRelease, final boolean impossibleIds)
        {
            this(throwingCall, throwsOnRelease, impossibleIds, 40);
        }

        ThrowingSlice(
            final int throwingCall, final boolean throwsOnRelease, final boolean impossibleIds, final int rowCount)
        {
            this.throwingCall = throwingCall;
            this.throwsOnRelease = throwsOnRelease;
            this.rowCount = rowCount;
            rows = new UnsafeBuffer(new byte[rowCount * SHAPE.rowBytes()]);
            for (int i = 0; i < rows.capacity(); i++)
            {
                rows.putByte(i, (byte)(impossibleIds ? 64 : i % SHAPE.topK()));
            }
        }

        private void call()
        {
            if (++calls == throwingCall)
            {
                throw new IllegalArgumentException("planted");
            }
        }

        @Override
        public DirectBuffer buffer()
        {
            call();
            return rows;
        }

        @Override
        public int offset()
        {
            call();
            return 0;
        }

        @Override
        public int rowCount()
        {
            call();
            return rowCount;
        }

        @Override
        public int rowBytes()
        {
            call();
            return SHAPE.rowBytes();
        }

        @Override
        public void release()
        {
            releases++;
            if (throwsOnRelease)
            {
                throw new IllegalArgumentException("planted");
            }
        }
    }
}
