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
 * @param scales of packed weights; {@code null} without a layout.
 * @param bias   float32, one for each row; {@code null}: none.
 */
public record DeviceMatrix(
    DeviceMemory weights, int rows, int columns, WeightType type, PackedLayout layout, DeviceMemory scales,
    DeviceMemory bias)
{
    /** Whether a kernel unpacks each weight when it multiplies with it. */
    public boolean isPacked()
    {
        return layout != null;
    }

    /** Bytes of the weights of a row in memory, without scales. */
    int rowBytes()
    {
        return isPacked() ? layout.codeBytes(columns) : columns * type.bytes();
    }
}
