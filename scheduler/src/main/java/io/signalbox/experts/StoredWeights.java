// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads combine weights in storage width, bit for bit. */
final class StoredWeights
{
    private static final VarHandle FLOATS = MethodHandles.byteArrayViewVarHandle(float[].class, ByteOrder.LITTLE_ENDIAN);

    private StoredWeights()
    {
    }

    static void read(final byte[] source, final int start, final float[] target, final int first, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            target[first + i] = (float)FLOATS.get(source, start + i * ModelShape.WEIGHT_BYTES);
        }
    }
}
