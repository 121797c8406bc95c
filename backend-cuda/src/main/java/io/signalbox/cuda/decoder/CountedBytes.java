// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.model.WeightMatrix;

import java.util.List;

/** Adds up bytes that would be taken from a device, each piece as the driver rounds it up. */
final class CountedBytes implements WeightTarget
{
    private long bytes;

    @Override
    public DeviceMemory matrices(final List<WeightMatrix> matrices)
    {
        return add(WeightTarget.bytes(matrices));
    }

    @Override
    public DeviceMemory vector(final float[] values)
    {
        return add(values == null ? 0 : (long)values.length * Float.BYTES);
    }

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
