// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/**
 * Traits of a GPU in a report, beside its name; 0 for an unknown number.
 *
 * @param clockKilohertz       the highest of the multiprocessors.
 * @param memoryClockKilohertz the highest.
 * @param pciAddress           in the form {@code 0000:1b:00.0}.
 */
public record DeviceTraits(int multiprocessors, int clockKilohertz, int memoryClockKilohertz, String pciAddress)
{
}
