// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

/**
 * The experts of a layer in device memory, each part one after the other.
 *
 * @param gates  {@code [expert][width][hidden]}.
 * @param others the other factors of the gates, stored as these.
 * @param downs  {@code [expert][hidden][width]}.
 */
public record DeviceExperts(DeviceMatrix gates, DeviceMatrix others, DeviceMatrix downs)
{
}
