// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.experts.ModelShape;

/**
 * Addresses at which the kernels of a rank find a step and leave its result; the addresses stay the same for life.
 *
 * @param step         the step block.
 * @param capture      {@code (S, L, N, K)} int16, or null if capture is disabled.
 * @param results      S result slots.
 * @param resultStride bytes of a result slot, a multiple of 64.
 * @param weights      {@code (S, L, N, K)} float32, or null if rows have no combine weights.
 * @param shape        L MoE layers and K experts per token and layer; null if results have no rows.
 * @param maxTokens    N, the most tokens of a step.
 */
public record StepMemory(
    DeviceMemory step,
    DeviceMemory capture,
    DeviceMemory results,
    long resultStride,
    DeviceMemory weights,
    ModelShape shape,
    int maxTokens)
{
    /** For kernels that read the step block alone. */
    public static StepMemory of(final DeviceMemory step)
    {
        return new StepMemory(step, null, null, 0, null, null, 0);
    }

    public int layers()
    {
        return shape == null ? 0 : shape.moeLayers();
    }

    public int topK()
    {
        return shape == null ? 0 : shape.topK();
    }

    /** Bytes of an id in a result. */
    public int idBytes()
    {
        return shape == null ? Byte.BYTES : shape.idBytes();
    }

    /** Elements of one slot of the capture buffer. */
    public long slotStride()
    {
        return layers() * layerStride();
    }

    /** A layer's view in slot 0, {@code (N, K)} int16 without gaps. */
    public DeviceMemory layerView(final int layer)
    {
        final long bytes = layerStride() * Short.BYTES;
        return capture.slice(layer * bytes, bytes);
    }

    private long layerStride()
    {
        return (long)maxTokens * topK();
    }
}
