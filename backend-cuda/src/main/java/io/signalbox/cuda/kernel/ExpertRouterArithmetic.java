// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

/**
 * The single-precision functions of the router kernels, with the same bits: arithmetic.cuh repeats this step by step.
 * Java rounds every operation on its own and fuses none.
 */
final class ExpertRouterArithmetic
{
    private static final float SMALLEST_EXPONENT = -104.0f;
    private static final float LARGEST_EXPONENT = 89.0f;
    private static final float LOG2_E = 1.44269504f;
    private static final float LN2_HIGH = 0.693359375f;
    private static final float LN2_LOW = -2.12194440e-4f;
    /** 1.5 * 2^23: adding it rounds to an integer, which is then in the low bits. */
    private static final float ROUNDER = 12582912.0f;
    private static final int ROUNDER_BITS = 0x4B400000;

    private ExpertRouterArithmetic()
    {
    }

    /** NaN counts as -infinity, so that scores have a total order. */
    static float ordered(final float value)
    {
        return Float.isNaN(value) ? Float.NEGATIVE_INFINITY : value;
    }

    /** e^x within 2 ulp; 0 below -104 and for NaN, infinity above the largest float, subnormal results included. */
    static float exponential(final float x)
    {
        final float bounded = x >= SMALLEST_EXPONENT ? Math.min(x, LARGEST_EXPONENT) : SMALLEST_EXPONENT;
        final float shifted = bounded * LOG2_E + ROUNDER;
        final int exponent = Float.floatToRawIntBits(shifted) - ROUNDER_BITS;
        final float whole = shifted - ROUNDER;
        final float r = bounded - whole * LN2_HIGH - whole * LN2_LOW;
        final int half = exponent / 2;
        return exponentialNearZero(r) * powerOfTwo(half) * powerOfTwo(exponent - half);
    }

    private static float exponentialNearZero(final float r)
    {
        float p = 1.0f / 5040.0f;
        p = p * r + 1.0f / 720.0f;
        p = p * r + 1.0f / 120.0f;
        p = p * r + 1.0f / 24.0f;
        p = p * r + 1.0f / 6.0f;
        p = p * r + 0.5f;
        return 1.0f + (r + r * r * p);
    }

    private static float powerOfTwo(final int exponent)
    {
        return Float.intBitsToFloat(exponent + 127 << 23);
    }

    /** e^(x - maximum), with equal infinities differing by nothing. */
    static float exponentialBelow(final float x, final float maximum)
    {
        return exponential(x == maximum ? 0.0f : x - maximum);
    }

    static float sigmoid(final float x)
    {
        return 1.0f / (1.0f + exponential(-x));
    }
}
