// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A type that holds weights one by one in a file, by its name in safetensors; little-endian. Float32 has all its values. */
enum FloatFormat
{
    F32(Float.BYTES)
    {
        @Override
        float read(final ByteBuffer bytes, final int index)
        {
            return bytes.getFloat(index * Float.BYTES);
        }
    },
    BF16(Short.BYTES)
    {
        @Override
        float read(final ByteBuffer bytes, final int index)
        {
            return WeightType.bf16(bytes.getShort(index * Short.BYTES));
        }
    },
    F16(Short.BYTES)
    {
        @Override
        float read(final ByteBuffer bytes, final int index)
        {
            return float16(bytes.getShort(index * Short.BYTES));
        }
    };

    private static final int F16_FRACTION_BITS = 10;
    private static final int F16_LARGEST_EXPONENT = 0x1f;
    private static final int F32_FRACTION_BITS = 23;
    private static final int F32_LARGEST_EXPONENT = 0xff;
    /** Difference of the exponents' biases. */
    private static final int REBIAS = 127 - 15;

    private final int bytes;

    FloatFormat(final int bytes)
    {
        this.bytes = bytes;
    }

    /** The format of a tensor; {@code null} if the format is unsupported. */
    static FloatFormat of(final StoredTensor tensor)
    {
        return Arrays.stream(values()).filter(each -> each.name().equals(tensor.type())).findFirst().orElse(null);
    }

    /** Bytes of one weight. */
    int bytes()
    {
        return bytes;
    }

    /** The narrowest type of loaded weights that has all values of this one. */
    WeightType exact()
    {
        return this == BF16 ? WeightType.BF16 : WeightType.F32;
    }

    /** The weight with this index, exactly. */
    abstract float read(ByteBuffer bytes, int index);

    private static float float16(final short bits)
    {
        final int exponent = bits >>> F16_FRACTION_BITS & F16_LARGEST_EXPONENT;
        final int fraction = bits & (1 << F16_FRACTION_BITS) - 1;
        if (exponent == 0)
        {
            final float subnormal = fraction * 0x1p-24f;
            return bits < 0 ? -subnormal : subnormal;
        }
        final int widened = exponent == F16_LARGEST_EXPONENT ? F32_LARGEST_EXPONENT : exponent + REBIAS;
        return Float.intBitsToFloat((bits < 0 ? Integer.MIN_VALUE : 0) | widened << F32_FRACTION_BITS |
            fraction << F32_FRACTION_BITS - F16_FRACTION_BITS);
    }
}
