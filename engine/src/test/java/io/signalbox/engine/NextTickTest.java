// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A caller that wakes the engine knows when it has to. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NextTickTest
{
    private static final List<Function<EngineConfig, Engine>> KINDS = List.of(SteppedEngine::new, ThreadedEngine::new);
    private static final int BACK_OFF_NANOS = 100;

    private final InputWriter inputs = new InputWriter();

    private static EngineConfig context()
    {
        return new EngineConfig().backend(new SilentBackend()).wakeSource(EngineConfig.WakeSource.CALLER)
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(20).backOffNanos(BACK_OFF_NANOS).build());
    }

    private void submit(final Engine engine, final long deadlineNanos)
    {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[0]);
        final SubmitEncoder submit = inputs.submit();
        submit.timeNanos(0).requestId(1).conversationId(-1).predecessorId(-1).thinkTimeNanos(0).deadlineNanos(deadlineNanos)
            .samplingSeed(0).promptTokens(8).maxNewTokens(4).rowsFrom(-1).priority(0).rankHint(-1)
            .temperature(1.0f).topP(1.0f).rankHintRelaxed(Flag.NO);
        submit.putBlockHashes(bytes, 0, 0).putCacheKey(bytes, 0, 0).putTokens(bytes, 0, 0)
            .putHashChain(bytes, 0, 0).putStopTokens(bytes, 0, 0);
        offer(engine);
    }

    private void offer(final Engine engine)
    {
        engine.offer(inputs.buffer(), 0, inputs.length(), null);
        engine.awaitProcessed();
    }

    @Test
    void shouldBeTheFirstDeadline()
    {
        for (final Function<EngineConfig, Engine> kind : KINDS)
        {
            try (Engine engine = kind.apply(context()))
            {
                assertEquals(Long.MAX_VALUE, engine.nextTickNanos());
                submit(engine, 700);
                assertEquals(700, engine.nextTickNanos());
                inputs.tick().timeNanos(700);
                offer(engine);
                assertEquals(Long.MAX_VALUE, engine.nextTickNanos());
            }
        }
    }

    @Test
    void shouldBeTheEndOfARanksRest()
    {
        for (final Function<EngineConfig, Engine> kind : KINDS)
        {
            try (Engine engine = kind.apply(context()))
            {
                submit(engine, -1);
                inputs.wake().timeNanos(0);
                offer(engine);
                for (int step = 1; step <= 2; step++)
                {
                    assertEquals(Long.MAX_VALUE, engine.nextTickNanos());
                    inputs.backendFault().timeNanos(10 * step).step(step).epoch(0).rank(0)
                        .faultClass(FaultClass.STEP_FAILED).detail("");
                    offer(engine);
                }
                assertEquals(20 + BACK_OFF_NANOS, engine.nextTickNanos());
            }
        }
    }
}
