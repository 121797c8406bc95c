// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/**
 * One GPU that the driver offers.
 *
 * @param ordinal           number of the GPU at the driver, from 0
 * @param name              its name
 * @param memoryBytes       its memory
 * @param computeCapability its compute capability, in the form {@code 9.0}
 */
public record CudaDevice(int ordinal, String name, long memoryBytes, String computeCapability)
{
}
