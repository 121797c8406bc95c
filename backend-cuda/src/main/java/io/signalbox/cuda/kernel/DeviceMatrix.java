// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.model.WeightType;

/** Weights of a linear layer in device memory, row by row. */
public record DeviceMatrix(DeviceMemory weights, int rows, int columns, WeightType type)
{
}
