// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.model.WeightMatrix;

import java.util.List;
import java.util.function.LongFunction;

/** Allocates memory for weights without copying them. */
record WeightRoom(LongFunction<DeviceMemory> room) implements WeightTarget
{
    @Override
    public DeviceMemory matrices(final List<WeightMatrix> matrices)
    {
        return room.apply(WeightTarget.bytes(matrices));
    }

    @Override
    public DeviceMemory codes(final List<WeightMatrix> matrices)
    {
        return room.apply(WeightTarget.codeBytes(matrices));
    }

    @Override
    public DeviceMemory scales(final List<WeightMatrix> matrices)
    {
        return room.apply(WeightTarget.scaleBytes(matrices));
    }

    @Override
    public DeviceMemory vector(final float[] values)
    {
        return values == null ? null : room.apply((long)values.length * Float.BYTES);
    }
}
