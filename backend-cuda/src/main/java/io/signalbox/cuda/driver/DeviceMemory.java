// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/** A range of device memory at an address that stays the same until it is freed. */
public interface DeviceMemory
{
    long address();

    long bytes();

    /** A part of this range; made once, before steps run, since it allocates. Only the whole range is freed. */
    DeviceMemory slice(long offset, long bytes);
}
