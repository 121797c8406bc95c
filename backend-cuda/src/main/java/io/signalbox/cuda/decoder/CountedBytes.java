// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.DeviceMemory;

/** Adds up bytes that would be taken from a device, each piece as the driver rounds it up. */
final class CountedBytes
{
    private long bytes;

    /** Returns no memory. */
    DeviceMemory add(final long count)
    {
        bytes = Math.addExact(bytes, DeviceMemory.taken(count));
        return null;
    }

    long bytes()
    {
        return bytes;
    }
}
