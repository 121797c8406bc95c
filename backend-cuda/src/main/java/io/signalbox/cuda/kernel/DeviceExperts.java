// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.model.WeightType;

/**
 * The experts of a layer in device memory.
 *
 * @param gates  {@code [expert][width][hidden]}.
 * @param others the other factors of the gates, as these.
 * @param downs  {@code [expert][hidden][width]}.
 */
public record DeviceExperts(DeviceMemory gates, DeviceMemory others, DeviceMemory downs, WeightType type)
{
}
