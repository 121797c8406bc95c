// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;

/**
 * Vectors between two kernels of a step.
 *
 * @param values in float32.
 * @param narrow the same in bf16, for products on tensor cores; {@code null} if the kernels are exact.
 */
public record Activations(DeviceMemory values, DeviceMemory narrow)
{
}
