// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.StepFault;
import io.signalbox.event.StepView;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Clocks that are not the engine's. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineClockTest
{
    private static final long HOUR = 3_600_000_000_000L;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final AtomicLong clock = new AtomicLong(1);
    private final EngineConfig context = new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build()).backend(backend).clock(clock::get);

    @ParameterizedTest
    @ValueSource(longs = {1_700_000_000_000_000_000L, Long.MAX_VALUE})
    void shouldNotBelieveAReportFromTheFuture(final long future) throws Exception
    {
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(
                CompletionRequest.prompt(new int[1]).maxNewTokens(1).deadlineAt(HOUR), 1);
            for (int step = 1; step <= 2; step++)
            {
                backend.sink().fault(future, 0, 0, step, StepFault.STEP_FAILED, "planted");
            }
            clock.set(HOUR / 2);
            client.cancel(client.submit(CompletionRequest.prompt(new int[1]).maxNewTokens(1), 1), 1);
            assertEquals(3, backend.plan(0).step(), "the rest is over");
            backend.complete(0);
            assertEquals(FinishReason.LENGTH, handle.ended().get(60, TimeUnit.SECONDS).reason());
        }
    }

    /** In the thread of the backend: the result is lost, and its step would never be answered. */
    @Test
    void shouldStopTheEngineIfTheClockThrows()
    {
        final AtomicBoolean broken = new AtomicBoolean();
        final CountingBackend counting = new CountingBackend(0)
        {
            @Override
            public void submit(final StepView plan)
            {
                broken.set(true);
                super.submit(plan);
            }
        };
        final EngineConfig config = new EngineConfig().backend(counting).clock(() ->
        {
            if (broken.get())
            {
                throw new IllegalStateException("the clock is broken");
            }
            return 1;
        });
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final CompletionHandle request = engine.submit(CompletionRequest.prompt(new int[1]).maxNewTokens(1));
            assertTrue(assertThrows(IllegalStateException.class, request::await).getMessage().contains("clock is broken"));
            assertEquals("the clock is broken", engine.failure().orElseThrow().getMessage());
        }
    }

    @Test
    void shouldRefuseAClockThatIsNegative()
    {
        clock.set(-1);
        assertEquals("the clock of the engine is negative; give one that counts from an origin before the engine is opened.",
            assertThrows(ConfigException.class, () -> new SteppedEngine(context)).getMessage());
    }
}
