// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.config.DoubleText;
import io.signalbox.state.FoldedMatches;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Fixed-point texts of numbers. {@code Double.toString} gives other digits on Java 17 than on later versions, but output
 * must have the same bytes on all of them.
 */
public final class Decimals
{
    private static final int NANOS_DIGITS = 6;
    private static final int PLAIN_DIGITS = 6;
    private static final int DIGITS_THAT_MATTER = 3;
    private static final int PLAIN_FROM = -6;
    private static final int PLAIN_BELOW = 21;

    private Decimals()
    {
    }

    public static BigDecimal fixed(final double value, final int digits)
    {
        return new BigDecimal(value).setScale(digits, RoundingMode.HALF_EVEN);
    }

    /** Nanoseconds as milliseconds, exactly. */
    public static BigDecimal milliseconds(final long nanos)
    {
        return BigDecimal.valueOf(nanos, NANOS_DIGITS);
    }

    public static BigDecimal seconds(final long nanos)
    {
        return BigDecimal.valueOf(nanos, NANOS_DIGITS + 3);
    }

    public static String text(final double value, final int digits)
    {
        return fixed(value, digits).toPlainString();
    }

    /**
     * The shortest decimal that reads back to the same double; of several, the one next to it. An exponent is used below
     * 1e-6 and from 1e21 on. JSON and CSV read it.
     *
     * @param value finite.
     */
    public static String shortest(final double value)
    {
        return compact(DoubleText.shortest(value, 1));
    }

    private static String compact(final BigDecimal value)
    {
        final BigDecimal stripped = value.stripTrailingZeros();
        final int exponent = stripped.precision() - stripped.scale() - 1;
        return stripped.signum() == 0 || exponent >= PLAIN_FROM && exponent < PLAIN_BELOW
            ? stripped.toPlainString() : stripped.toString();
    }

    /** At most six decimals, or three significant digits if those are further right; no zeros at the end. */
    public static String plain(final double value)
    {
        if (!Double.isFinite(value))
        {
            return Double.toString(value);
        }
        final BigDecimal exact = new BigDecimal(value);
        final int ahead = exact.precision() - exact.scale();
        final int digits = Math.max(PLAIN_DIGITS, DIGITS_THAT_MATTER - ahead);
        return exact.setScale(digits, RoundingMode.HALF_EVEN).stripTrailingZeros().toPlainString();
    }

    static String percent(final double share)
    {
        return fixed(share * 100.0, 2).toPlainString() + " %";
    }

    /** A number of cached tokens, or a question mark if it is {@link FoldedMatches#NOT_RECORDED}. */
    static String recorded(final long tokens)
    {
        return tokens == FoldedMatches.NOT_RECORDED ? "?" : grouped(tokens);
    }

    /** {@code 1,234,567}. */
    public static String grouped(final long value)
    {
        final StringBuilder text = new StringBuilder(Long.toString(value));
        final int firstDigit = value < 0 ? 1 : 0;
        for (int at = text.length() - 3; at > firstDigit; at -= 3)
        {
            text.insert(at, ',');
        }
        return text.toString();
    }

    /** {@code 1 request}, {@code 1,234 requests}. */
    public static String counted(final long value, final String noun)
    {
        return grouped(value) + " " + noun + (value == 1 ? "" : "s");
    }

    /** {@code 12.3 MiB}. */
    public static String bytes(final long value)
    {
        final String[] units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
        double amount = value;
        int unit = 0;
        while (amount >= 1024.0 && unit < units.length - 1)
        {
            amount /= 1024.0;
            unit++;
        }
        return unit == 0 ? grouped(value) + " bytes" : text(amount, 1) + " " + units[unit];
    }
}
