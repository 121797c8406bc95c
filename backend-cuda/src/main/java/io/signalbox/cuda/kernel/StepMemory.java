// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;

/**
 * Addresses at which the kernels of a rank find a step and leave its result; the addresses stay the same for life.
 *
 * @param step         the step block.
 * @param capture      {@code (S, L, N, K)} int16, or null if capture is disabled.
 * @param results      S result slots.
 * @param resultStride bytes of a result slot, a multiple of 64.
 * @param layers       L, MoE layers.
 * @param maxTokens    N, the most tokens of a step.
 * @param topK         K, experts per token and layer.
 * @param idBytes      bytes of an id in a result.
 * @param weights      {@code (S, L, N, K)} float32, or null if rows have no combine weights.
 */
public record StepMemory(
    DeviceMemory step,
    DeviceMemory capture,
    DeviceMemory results,
    long resultStride,
    int layers,
    int maxTokens,
    int topK,
    int idBytes,
    DeviceMemory weights)
{
    /** For rows without combine weights. */
    public StepMemory(
        final DeviceMemory step, final DeviceMemory capture, final DeviceMemory results, final long resultStride,
        final int layers, final int maxTokens, final int topK, final int idBytes)
    {
        this(step, capture, results, resultStride, layers, maxTokens, topK, idBytes, null);
    }

    /** Elements of one slot of the capture buffer. */
    public long slotStride()
    {
        return layers * layerStride();
    }

    /** A layer's view in slot 0, {@code (N, K)} int16 without gaps. */
    public DeviceMemory layerView(final int layer)
    {
        final long bytes = layerStride() * Short.BYTES;
        return capture.slice(layer * bytes, bytes);
    }

    private long layerStride()
    {
        return (long)maxTokens * topK;
    }
}
