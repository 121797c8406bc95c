// SPDX-License-Identifier: Apache-2.0
package io.signalbox.config;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;

/**
 * Texts of doubles that are the same on every JVM. {@code Double.toString} gives other digits on Java 17 than on later
 * versions, and a run description must have the same bytes on all of them.
 */
public final class DoubleText
{
    /** Digits that distinguish any two doubles. */
    private static final int MOST_DIGITS = 17;
    private static final int PLAIN_FROM = -3;
    private static final int PLAIN_BELOW = 7;

    private DoubleText()
    {
    }

    /** The text that {@code Double.toString} has since Java 19. */
    public static String of(final double value)
    {
        if (!Double.isFinite(value) || value == 0.0)
        {
            return Double.toString(value);
        }
        final BigDecimal decimal = shortest(value, 2).stripTrailingZeros();
        final int exponent = decimal.precision() - decimal.scale() - 1;
        if (exponent >= PLAIN_FROM && exponent < PLAIN_BELOW)
        {
            return (decimal.scale() < 1 ? decimal.setScale(1) : decimal).toPlainString();
        }
        final BigDecimal first = decimal.movePointLeft(exponent);
        return (first.scale() < 1 ? first.setScale(1) : first).toPlainString() + "E" + exponent;
    }

    /**
     * The shortest decimal that reads back to the same double; of several, the one next to it.
     *
     * @param value       finite.
     * @param leastDigits decimals with fewer digits count as if they had as many.
     */
    public static BigDecimal shortest(final double value, final int leastDigits)
    {
        final BigDecimal exact = new BigDecimal(value);
        for (int digits = leastDigits; digits < MOST_DIGITS; digits++)
        {
            final BigDecimal found = readBack(exact, value, digits);
            if (found != null)
            {
                return found;
            }
        }
        return exact.round(new MathContext(MOST_DIGITS, RoundingMode.HALF_EVEN));
    }

    /** At a power of two the next decimal may read as a neighbour while the one on the other side reads back. */
    private static BigDecimal readBack(final BigDecimal exact, final double value, final int digits)
    {
        for (final RoundingMode mode : List.of(RoundingMode.HALF_EVEN, RoundingMode.FLOOR, RoundingMode.CEILING))
        {
            final BigDecimal rounded = exact.round(new MathContext(digits, mode));
            if (rounded.doubleValue() == value)
            {
                return rounded;
            }
        }
        return null;
    }
}
