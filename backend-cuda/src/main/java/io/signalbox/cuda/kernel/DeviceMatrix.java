// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.model.PackedLayout;
import io.signalbox.model.WeightType;

/**
 * Weights of a linear layer, or of such a layer of each expert, in device memory, row by row.
 *
 * @param rows   of one matrix.
 * @param type   of a weight in a product.
 * @param layout of packed weights; {@code null}: weights are stored in their type.
 * @param scales of packed weights, float32; {@code null} without a layout.
 */
public record DeviceMatrix(
    DeviceMemory weights, int rows, int columns, WeightType type, PackedLayout layout, DeviceMemory scales)
{
    /** Whether a kernel unpacks each weight when it multiplies with it. */
    public boolean isPacked()
    {
        return layout != null;
    }

    /** Bytes of a weight in memory; scales are left out. */
    int weightBytes()
    {
        return isPacked() ? 1 : type.bytes();
    }
}
