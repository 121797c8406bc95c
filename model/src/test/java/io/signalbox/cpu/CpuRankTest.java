// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.ConfigException;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.ForwardingBackend;
import io.signalbox.backend.RankSizes;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An error of the JVM on a thread of a rank loses the rank, and nothing waits for it forever. */
@Tag("threads")
@Timeout(300)
class CpuRankTest
{
    /** The engine's sink, whose first launch report finds no memory. */
    private record ShortOfMemory(CompletionSink sink, AtomicBoolean thrown) implements CompletionSink
    {
        @Override
        public void forward(
            final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
        {
            if (thrown.compareAndSet(false, true))
            {
                throw new OutOfMemoryError("planted");
            }
            sink.forward(timeNanos, epoch, rank, step, deviceTimeNanos);
        }

        @Override
        public void d2hComplete(
            final long timeNanos, final int epoch, final int rank, final long step, final StepTokens tokens,
            final CaptureSlice rows)
        {
            sink.d2hComplete(timeNanos, epoch, rank, step, tokens, rows);
        }

        @Override
        public void fault(
            final long timeNanos, final int epoch, final int rank, final long step, final StepFault faultClass,
            final String detail)
        {
            sink.fault(timeNanos, epoch, rank, step, faultClass, detail);
        }
    }

    /** A CPU backend behind such a sink. */
    private static final class Planted extends ForwardingBackend
    {
        private final AtomicBoolean thrown;

        Planted(final CpuBackend backend, final AtomicBoolean thrown)
        {
            super(backend);
            this.thrown = thrown;
        }

        @Override
        public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
        {
            super.start(ranks, shape, new ShortOfMemory(completions, thrown));
        }
    }

    @Test
    void shouldComeBackFromALackOfMemoryOutsideOfTheModel() throws Exception
    {
        final AtomicBoolean thrown = new AtomicBoolean();
        final EngineConfig config = new EngineConfig()
            .backend(new Planted(new CpuBackend(TinyModels.generated(), new CpuBackendConfig().threads(1)), thrown))
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(33).build());
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            assertEquals(FinishReason.LENGTH, engine.submit(CompletionRequest.prompt(new int[] {3, 5}).maxNewTokens(3))
                .await(Duration.ofSeconds(120)).reason());
        }
        assertTrue(thrown.get());
    }

    @Test
    void shouldRefuseStepsThatNoArrayHolds()
    {
        final CpuBackend backend = new CpuBackend(TinyModels.generated(), new CpuBackendConfig().threads(1));
        backend.sizes(new RankSizes(1 << 20, 16, 1 << 24, 1 << 23, 1, 0));
        final ConfigException refused = assertThrows(ConfigException.class, () -> backend.start(1, null, null));

        assertTrue(refused.getMessage().startsWith(
            "A step with stepTokens=16777216 needs a buffer of 4294967296 elements for this model, and an array holds "),
            refused.getMessage());
    }
}
