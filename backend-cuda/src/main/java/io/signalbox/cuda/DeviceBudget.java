// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.capture.CaptureLayout;
import io.signalbox.cuda.decoder.DecoderMemory;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.experts.ModelShape;
import io.signalbox.serving.BackendMemory;

import java.util.LinkedHashMap;
import java.util.Map;

/** The memory that the ranks of a model take on one device, known before any of it is taken. */
final class DeviceBudget
{
    /** Allocations of a ring, each of which the driver rounds up. */
    private static final int RING_PIECES = 5;

    private final Map<String, Long> parts = new LinkedHashMap<>();
    private final long pinnedBytes;

    private DeviceBudget(
        final DecoderMemory decoder, final int weightSets, final CaptureLayout layout, final int ranks)
    {
        parts.put("weights", decoder.weightBytes());
        if (weightSets > 1)
        {
            parts.put("a second set of weights", (weightSets - 1) * decoder.weightBytes());
        }
        parts.put("keys and values", Math.multiplyExact(ranks, decoder.kvBytes()));
        parts.put("buffers of steps", Math.multiplyExact(ranks, decoder.stepBytes()));
        parts.put("logits", Math.multiplyExact(ranks, decoder.logitBytes()));
        parts.put("capture and results",
            Math.multiplyExact(ranks, layout.deviceBytes() + RING_PIECES * DeviceMemory.taken(1)));
        pinnedBytes = DecoderMemory.stagingBytes() + Math.multiplyExact(ranks, layout.pinnedBytes());
    }

    /**
     * Of a device of the configuration; null without a model.
     *
     * @param ranks of the backend.
     * @param shape of captured rows, null if there are none.
     */
    static DeviceBudget of(
        final CudaBackendConfig config, final int ordinal, final int ranks, final ModelShape shape)
    {
        if (config.decoder() == null)
        {
            return null;
        }
        int here = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            here += config.deviceOf(rank) == ordinal ? 1 : 0;
        }
        final CaptureLayout layout = RankDevice.layout(config, shape);
        final DecoderSetup decoder = config.decoder();
        return new DeviceBudget(DecoderMemory.of(decoder.weights(), decoder.precision(), decoder.family(),
            decoder.memory(layout.slots()), config.maxStepTokens()), config.weightSets(), layout, here);
    }

    /** @param availableBytes of the device. */
    BackendMemory on(final String device, final long availableBytes)
    {
        return new BackendMemory(device, parts, pinnedBytes, availableBytes);
    }
}
