// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/** How a weight is stored; little-endian. */
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

    /** Its name in {@code config.json}; in safetensors it is {@link #name()}. */
    public String configName()
    {
        return configName;
    }

    /** Bytes of one weight. */
    public int bytes()
    {
        return bytes;
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
