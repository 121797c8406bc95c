// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/** A range of device memory at an address that stays the same until it is freed. */
public interface DeviceMemory
{
    /** The driver gives out multiples of it, and with large pages more. */
    long ALIGNMENT = 512;

    /** Bytes of the device that a range of so many takes. */
    static long taken(final long bytes)
    {
        return Math.multiplyExact(Math.addExact(bytes, ALIGNMENT - 1) / ALIGNMENT, ALIGNMENT);
    }

    long address();

    long bytes();

    /** A part of this range; made once, before steps run, since it allocates. Only the whole range is freed. */
    DeviceMemory slice(long offset, long bytes);
}
