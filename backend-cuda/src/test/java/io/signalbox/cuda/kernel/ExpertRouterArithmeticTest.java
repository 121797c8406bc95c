// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ExpertRouterArithmeticTest
{
    /** A prime, so that all parts of the floats' lower bits are met. */
    private static final int STRIDE = 1009;

    @Test
    void shouldBeWithinTwoUlpOfTheExponential()
    {
        double worst = 0;
        for (int bits = 0; Float.intBitsToFloat(bits) <= 104.0f; bits += STRIDE)
        {
            final float x = Float.intBitsToFloat(bits);
            worst = Math.max(worst, Math.max(ulps(x), ulps(-x)));
        }
        assertTrue(worst <= 2, "off by " + worst + " ulp");
    }

    private static double ulps(final float x)
    {
        final double exact = StrictMath.exp(x);
        final float computed = ExpertRouterArithmetic.exponential(x);
        if (exact > Float.MAX_VALUE)
        {
            return computed >= Float.MAX_VALUE ? 0 : Double.POSITIVE_INFINITY;
        }
        return Math.abs(computed - exact) / Math.ulp((float)exact);
    }

    @Test
    void shouldBeDefinedBeyondTheRangeOfFloats()
    {
        assertEquals(1.0f, ExpertRouterArithmetic.exponential(0.0f));
        assertEquals(1.0f, ExpertRouterArithmetic.exponential(-0.0f));
        assertEquals(Float.POSITIVE_INFINITY, ExpertRouterArithmetic.exponential(Float.POSITIVE_INFINITY));
        assertEquals(Float.POSITIVE_INFINITY, ExpertRouterArithmetic.exponential(88.8f));
        assertEquals(Float.POSITIVE_INFINITY, ExpertRouterArithmetic.exponential(Float.MAX_VALUE));
        assertEquals(0.0f, ExpertRouterArithmetic.exponential(Float.NEGATIVE_INFINITY));
        assertEquals(0.0f, ExpertRouterArithmetic.exponential(-104.0f));
        assertEquals(0.0f, ExpertRouterArithmetic.exponential(-Float.MAX_VALUE));
        assertEquals(0.0f, ExpertRouterArithmetic.exponential(Float.NaN));
        assertEquals(Float.MIN_VALUE, ExpertRouterArithmetic.exponential(-103.5f));
    }

    @Test
    void shouldHaveSigmoidsBetweenZeroAndOne()
    {
        assertEquals(0.5f, ExpertRouterArithmetic.sigmoid(0.0f));
        assertEquals(1.0f, ExpertRouterArithmetic.sigmoid(Float.POSITIVE_INFINITY));
        assertEquals(1.0f, ExpertRouterArithmetic.sigmoid(200.0f));
        assertEquals(0.0f, ExpertRouterArithmetic.sigmoid(Float.NEGATIVE_INFINITY));
        assertEquals(0.0f, ExpertRouterArithmetic.sigmoid(-200.0f));
        for (float x = -80; x < 80; x += 0.37f)
        {
            final double exact = 1 / (1 + StrictMath.exp(-x));
            assertEquals(exact, ExpertRouterArithmetic.sigmoid(x), 4 * Math.ulp((float)exact), "sigmoid of " + x);
        }
    }

    @Test
    void shouldTakeEqualInfinitiesForEqual()
    {
        assertEquals(1.0f, ExpertRouterArithmetic.exponentialBelow(Float.POSITIVE_INFINITY, Float.POSITIVE_INFINITY));
        assertEquals(1.0f, ExpertRouterArithmetic.exponentialBelow(Float.NEGATIVE_INFINITY, Float.NEGATIVE_INFINITY));
        assertEquals(0.0f, ExpertRouterArithmetic.exponentialBelow(1.0f, Float.POSITIVE_INFINITY));
        assertEquals(0.0f, ExpertRouterArithmetic.exponentialBelow(-3.0e38f, 3.0e38f));
    }
}
