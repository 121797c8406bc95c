// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.math.MathContext;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FloatMathTest
{
    private static final double BOUND = 0x1.0p-22;

    /** Every 1,009th float between the ends, and all of the form n / 64. */
    @Test
    void shouldKeepItsErrorBound()
    {
        double worst = 0.0;
        for (int bits = 0; bits >= 0 && bits < Float.floatToIntBits(88.7f); bits += 1009)
        {
            final float x = Float.intBitsToFloat(bits);
            worst = Math.max(worst, Math.max(error(x), error(Math.max(-87.3f, -x))));
        }
        for (int n = -87 * 64; n < 88 * 64; n++)
        {
            worst = Math.max(worst, error(n / 64.0f));
        }
        assertTrue(worst < BOUND, "the worst relative error is " + worst);
        assertTrue(worst > BOUND / 8, "the bound is much too wide for " + worst);
    }

    private static double error(final float x)
    {
        final double exact = StrictMath.exp(x);
        return Math.abs(FloatMath.exp(x) - exact) / exact;
    }

    /** StrictMath itself is held against a series in 40 digits. */
    @Test
    void shouldMeasureAgainstTheTrueExponential()
    {
        final MathContext digits = new MathContext(40);
        for (final double x : new double[] {-3.25, -0.5, 0.03125, 0.34375, 2.0, 11.5})
        {
            BigDecimal term = BigDecimal.ONE;
            BigDecimal sum = BigDecimal.ONE;
            for (int n = 1; n < 120; n++)
            {
                term = term.multiply(new BigDecimal(x), digits).divide(new BigDecimal(n), digits);
                sum = sum.add(term, digits);
            }
            assertEquals(1.0, sum.doubleValue() / StrictMath.exp(x), 1e-15);
            assertEquals(1.0, FloatMath.exp((float)x) / sum.doubleValue(), BOUND);
        }
    }

    @Test
    void shouldBeExactAtTheEnds()
    {
        assertEquals(1.0f, FloatMath.exp(0.0f));
        assertEquals(1.0f, FloatMath.exp(-0.0f));
        assertEquals(0.0f, FloatMath.exp(Float.NEGATIVE_INFINITY));
        assertEquals(0.0f, FloatMath.exp(-104.0f));
        assertEquals(Float.MIN_VALUE, FloatMath.exp(-103.0f));
        assertEquals(Float.POSITIVE_INFINITY, FloatMath.exp(88.73f));
        assertEquals(Float.POSITIVE_INFINITY, FloatMath.exp(Float.POSITIVE_INFINITY));
        assertTrue(FloatMath.exp(88.72283f) < Float.POSITIVE_INFINITY);
        assertTrue(FloatMath.exp(-87.3365f) >= Float.MIN_NORMAL);
        assertTrue(FloatMath.exp(-87.34f) < Float.MIN_NORMAL);
        assertEquals(Float.NaN, FloatMath.exp(Float.NaN));
    }

    @Test
    void shouldComputeSigmoidSiluAndRoot()
    {
        for (float x = -60.0f; x < 60.0f; x += 0.37f)
        {
            final double sigmoid = 1.0 / (1.0 + StrictMath.exp(-x));
            assertEquals(1.0, FloatMath.sigmoid(x) / sigmoid, 3e-7);
            assertEquals(1.0, FloatMath.silu(x) / (x * sigmoid), 3e-7);
        }
        assertEquals(-0.0f, FloatMath.silu(-200.0f));
        assertEquals(200.0f, FloatMath.silu(200.0f));
        assertEquals(0.5f, FloatMath.reciprocalRoot(4.0f));
    }

    @Test
    void shouldRoundToTheNearestBf16()
    {
        assertEquals(1.0f, Precision.BF16.round(1.0f + 0x1.0p-8f), "a tie goes to the even one");
        assertEquals(1.0f + 0x1.0p-6f, Precision.BF16.round(1.0f + 3 * 0x1.0p-8f), "a tie goes to the even one");
        assertEquals(1.0f + 0x1.0p-7f, Precision.BF16.round(1.0f + 0x1.02p-8f));
        assertEquals(Float.POSITIVE_INFINITY, Precision.BF16.round(Float.MAX_VALUE));
        assertEquals(Float.NaN, Precision.BF16.round(Float.intBitsToFloat(0x7f80_0001)));
        assertEquals(0.1f, Precision.F32.round(0.1f));
    }
}
