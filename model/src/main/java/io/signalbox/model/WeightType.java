// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;

/** A type of weights that passes multiply with; little-endian. */
public enum WeightType
{
    F32("float32", 4),
    BF16("bfloat16", 2);

    private final String configName;
    private final int bytes;

    WeightType(final String configName, final int bytes)
    {
        this.configName = configName;
        this.bytes = bytes;
    }

    /** Its name in {@code config.json}. */
    public String configName()
    {
        return configName;
    }

    /** Bytes of one weight. */
    public int bytes()
    {
        return bytes;
    }

    /** Puts the bits of a weight at the position of a buffer; to bf16 it is rounded. */
    void put(final float weight, final ByteBuffer to)
    {
        if (this == F32)
        {
            to.putFloat(weight);
        }
        else
        {
            to.putShort(toBf16(weight));
        }
    }

    /** The weights as bf16, widened again; {@code null} for {@code null}. */
    static float[] inBf16(final float[] weights)
    {
        if (weights == null)
        {
            return null;
        }
        final float[] rounded = new float[weights.length];
        for (int i = 0; i < weights.length; i++)
        {
            rounded[i] = bf16(toBf16(weights[i]));
        }
        return rounded;
    }

    /** The weight with these bits, exactly. */
    public static float bf16(final short bits)
    {
        return Float.intBitsToFloat(bits << Short.SIZE);
    }

    /** The bits of the nearest bf16 value; ties go to the even one. NaN stays NaN. */
    public static short toBf16(final float value)
    {
        final int bits = Float.floatToRawIntBits(value);
        if (value != value)
        {
            return (short)(bits >>> Short.SIZE | 0x40);
        }
        return (short)(bits + 0x7fff + (bits >>> Short.SIZE & 1) >>> Short.SIZE);
    }
}
