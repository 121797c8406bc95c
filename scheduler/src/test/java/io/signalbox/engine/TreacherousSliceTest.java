// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A capture slice that throws, at whichever of its calls, leaves no step without an answer. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TreacherousSliceTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);
    private static final int MANY_CALLS = 200;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final EngineContext context = new EngineContext()
        .config(SchedulerConfig.builder().ranks(1).kvBlocks(64).backOffNanos(0).maxFailures(0).capture(SHAPE).build())
        .backend(backend);
    private final EngineClient client = new EngineClient(context);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAnswerTheStepAtWhicheverCallTheSliceThrows(final boolean impossibleIds) throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(CompletionRequest.of(new int[40], 1), 1);
            int call = 0;
            long step = 0;
            while (!handle.ended().isDone() && call < MANY_CALLS && backend.plan(0).step() > step)
            {
                step = backend.plan(0).step();
                final ThrowingSlice slice = new ThrowingSlice(++call, false, impossibleIds);
                backend.sink().d2hComplete(1, 0, 0, step, new int[1], 1, slice);
                assertEquals(1, slice.releases);
            }
            assertEquals(FreeReason.LENGTH, handle.ended().get(30, TimeUnit.SECONDS).reason());
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
            final CompletionHandle handle = client.submit(CompletionRequest.of(new int[prompt], 1), 1);
            final ThrowingSlice slice = new ThrowingSlice(0, true, false, prompt);
            assertThrows(IllegalArgumentException.class, () -> backend.sink().d2hComplete(1, 0, 0, 1, new int[1], 1, slice));
            assertEquals(1, slice.releases);
            assertEquals(FreeReason.LENGTH, handle.ended().get(30, TimeUnit.SECONDS).reason());
        }
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
