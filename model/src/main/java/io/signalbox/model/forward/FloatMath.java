// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/**
 * Functions of float32 whose bits are the same on every machine: they use addition, subtraction, multiplication, division
 * and square root of IEEE 754 alone, each rounded by itself. {@code Math.exp} may differ between JVMs.
 */
final class FloatMath
{
    /** Above it e^x is infinite. */
    private static final float MOST = 88.72284f;
    /** Below it e^x is 0; a result that is not normal is 0 as well. */
    private static final float LEAST = -87.33654f;
    private static final float LOG2_E = 1.44269504f;
    /** ln 2 in two parts; the first has 9 bits, so that its products with exponents are exact. */
    private static final float LN2_HIGH = 0.693359375f;
    private static final float LN2_LOW = -2.12194440e-4f;
    /** Adding and subtracting it rounds to the nearest integer. */
    private static final float ROUNDING = 12_582_912.0f;
    private static final int MANTISSA_BITS = 23;
    private static final int BIAS = 127;

    private FloatMath()
    {
    }

    /**
     * e^x, with a relative error below 2^-22. The argument is split into {@code n ln 2 + r} with |r| at most 0.35; e^r is a
     * polynomial of degree 7, Taylor's, by Horner's scheme; the factor 2^n is exact. NaN stays NaN.
     */
    static float exp(final float x)
    {
        if (!(x <= MOST))
        {
            return x != x ? x : Float.POSITIVE_INFINITY;
        }
        if (x < LEAST)
        {
            return 0.0f;
        }
        final float n = x * LOG2_E + ROUNDING - ROUNDING;
        final float r = x - n * LN2_HIGH - n * LN2_LOW;
        float p = 1.0f / 5040.0f;
        p = p * r + 1.0f / 720.0f;
        p = p * r + 1.0f / 120.0f;
        p = p * r + 1.0f / 24.0f;
        p = p * r + 1.0f / 6.0f;
        p = p * r + 0.5f;
        p = p * r * r + r + 1.0f;
        // 2^128 is no float: the last doubling is a separate factor.
        final int power = (int)n;
        return power > BIAS ? p * powerOfTwo(power - 1) * 2.0f : p * powerOfTwo(power);
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
