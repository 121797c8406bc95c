// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/**
 * One GPU that the driver offers.
 *
 * @param ordinal           the driver's number for it, from 0.
 * @param computeCapability in the form {@code 9.0}.
 */
public record CudaDevice(int ordinal, String name, long memoryBytes, String computeCapability)
{
}
