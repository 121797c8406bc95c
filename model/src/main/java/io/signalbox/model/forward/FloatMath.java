// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/**
 * Functions of float32 whose bits are the same on every machine: they use addition, subtraction, multiplication, division
 * and square root of IEEE 754 alone, each rounded by itself. {@code Math.exp} may differ between JVMs.
 */
final class FloatMath
{
    /** At it e^x is infinite. */
    private static final float MOST = 89.0f;
    /** At it e^x is 0. */
    private static final float LEAST = -104.0f;
    private static final float LOG2_E = 1.44269504f;
    /** ln 2 in two parts; the first has 9 bits, so that its products with exponents are exact. */
    private static final float LN2_HIGH = 0.693359375f;
    private static final float LN2_LOW = -2.12194440e-4f;
    /** 1.5 * 2^23: adding it rounds to the nearest integer, which is then in the low bits. */
    private static final float ROUNDING = 12_582_912.0f;
    private static final int ROUNDING_BITS = 0x4B400000;
    private static final int MANTISSA_BITS = 23;
    private static final int BIAS = 127;

    private FloatMath()
    {
    }

    /**
     * e^x, with a relative error below 2^-22, subnormal results included. The argument is split into {@code n ln 2 + r} with
     * |r| at most 0.35; e^r is a polynomial of degree 7, Taylor's, by Horner's scheme; the factor 2^n is exact. NaN stays
     * NaN. The kernels of the CUDA backend compute the same steps.
     */
    static float exp(final float x)
    {
        if (x != x)
        {
            return x;
        }
        final float bounded = Math.max(LEAST, Math.min(MOST, x));
        final float shifted = bounded * LOG2_E + ROUNDING;
        final int power = Float.floatToRawIntBits(shifted) - ROUNDING_BITS;
        final float n = shifted - ROUNDING;
        final float r = bounded - n * LN2_HIGH - n * LN2_LOW;
        float p = 1.0f / 5040.0f;
        p = p * r + 1.0f / 720.0f;
        p = p * r + 1.0f / 120.0f;
        p = p * r + 1.0f / 24.0f;
        p = p * r + 1.0f / 6.0f;
        p = p * r + 0.5f;
        p = 1.0f + (r + r * r * p);
        // In two halves, since 2^128 and 2^-150 are no floats while results next to them are.
        final int half = power / 2;
        return p * powerOfTwo(half) * powerOfTwo(power - half);
    }

    private static float powerOfTwo(final int power)
    {
        return Float.intBitsToFloat(power + BIAS << MANTISSA_BITS);
    }

    static float sigmoid(final float x)
    {
        return 1.0f / (1.0f + exp(-x));
    }

    /** x times its sigmoid. */
    static float silu(final float x)
    {
        return x / (1.0f + exp(-x));
    }

    /** 1 / sqrt(x), of a root that is rounded to float32. */
    static float reciprocalRoot(final float x)
    {
        return 1.0f / (float)Math.sqrt(x);
    }
}
