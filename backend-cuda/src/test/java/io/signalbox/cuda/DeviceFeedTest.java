// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** A step that the device cannot be fed fails with a sentence, and the rank continues. */
class DeviceFeedTest
{
    /** Reads each plan as a rank of the CUDA backend does; answers none. */
    private static final class ReadingBackend implements Backend
    {
        private final DeviceStepPlan plan;
        private String refusal;

        private ReadingBackend(final DecoderLimits limits)
        {
            plan = new DeviceStepPlan(64, limits);
        }

        @Override
        public BackendCapabilities capabilities()
        {
            return BackendCapabilities.named("reading").readsTokens(true).build();
        }

        @Override
        public void start(final int ranks, final ModelShape captured, final CompletionSink completions)
        {
        }

        @Override
        public void submit(final StepView step)
        {
            plan.read(step);
            refusal = plan.feed().connect(plan, new FormerSteps(1, 64));
        }

        @Override
        public void abort(final int rank, final long step)
        {
        }

        @Override
        public void close()
        {
        }
    }

    private static String refusal(
        final int vocabulary, final int positions, final int entries, final long feedBytes)
    {
        final ReadingBackend backend =
            new ReadingBackend(new DecoderLimits(vocabulary, positions, entries, feedBytes, null));
        try (SteppedEngine engine = new SteppedEngine(new EngineConfig().backend(backend)
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(9).blockSizeTokens(4).stepTokens(64).build())))
        {
            engine.submit(CompletionRequest.prompt(new int[] {1, 2, 3, 4, 5, 6, 7}).maxNewTokens(2));
        }
        return backend.refusal;
    }

    @Test
    void shouldFeedWhatTheDeviceHasRoomFor()
    {
        // 8 to align, 24 of sampling, 7 tokens of 8, and 2 blocks of 4 bytes.
        assertNull(refusal(8, 7, 1, 8 + 24 + 7 * 8 + 2 * 4));
    }

    @Test
    void shouldRefuseWhatTheDeviceHasNoRoomFor()
    {
        assertEquals("the step needs 96 bytes for block tables, above the 95 that the backend has memory for; " +
            "submit shorter requests, or lower maxRunning", refusal(8, 7, 1, 95));
        assertEquals("position 6 is not below the 6 that the backend has memory for; submit shorter requests",
            refusal(8, 6, 1, 96));
        assertEquals("token 7 at position 6 is not in the vocabulary of 7; submit token ids from 0 to 6",
            refusal(7, 7, 1, 96));
        assertEquals("the step has 1 entries, above the 0 that the backend has memory for", refusal(8, 7, 0, 96));
    }
}
