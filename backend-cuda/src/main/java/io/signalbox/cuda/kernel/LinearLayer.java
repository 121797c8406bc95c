// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;

/**
 * A product of a matrix with vectors.
 *
 * @param out {@code [vector][row]}, float32.
 */
public record LinearLayer(DeviceMatrix matrix, DeviceMemory out)
{
}
