// SPDX-License-Identifier: Apache-2.0
package io.signalbox.config;

import io.signalbox.ConfigException;

import java.util.regex.Pattern;

/**
 * The one grammar of numbers in settings and options: ASCII digits with an optional minus, and for numbers that are not
 * whole an optional fraction and exponent. Java's parsers accept other forms, such as other scripts' digits, {@code 5f},
 * {@code 0x1p3}, {@code +5}, blanks, {@code NaN} and {@code Infinity}; this class refuses them in a clause of a longer
 * sentence.
 */
public final class NumberText
{
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]+");
    private static final Pattern REAL = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?");
    private static final int MAX_SHOWN = 200;
    private static final Pattern NOT_ZERO = Pattern.compile("[^eE]*[1-9].*");

    private NumberText()
    {
    }

    /** @throws ConfigException when the text is no whole number of 32 bits. */
    public static int whole(final String text)
    {
        return (int)whole(text, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** @throws ConfigException when the text is no whole number within the bounds. */
    public static long whole(final String text, final long min, final long max)
    {
        refuseUnless(WHOLE, text, "a whole number");
        try
        {
            final long value = Long.parseLong(text);
            if (value >= min && value <= max)
            {
                return value;
            }
        }
        catch (final NumberFormatException e)
        {
            // More digits than a long has.
        }
        throw new ConfigException("'" + shown(text) + "' is not a whole number between " + min + " and " + max);
    }

    /** @throws ConfigException when the text is no decimal number, or one that a double cannot tell from infinity or 0. */
    public static double real(final String text)
    {
        refuseUnless(REAL, text, "a number such as 2, 0.5 or 1e-6");
        final double value = Double.parseDouble(text);
        if (Double.isInfinite(value) || value == 0.0 && NOT_ZERO.matcher(text).matches())
        {
            throw new ConfigException("'" + shown(text) + "' is too " + (value == 0.0 ? "near to 0" : "large"));
        }
        return value;
    }

    /** Whether the text is a whole number of this grammar. */
    static boolean isWhole(final String text)
    {
        return WHOLE.matcher(text).matches();
    }

    /** Whether the text is a number of this grammar. */
    public static boolean isNumber(final String text)
    {
        return REAL.matcher(text).matches();
    }

    private static void refuseUnless(final Pattern grammar, final String text, final String wanted)
    {
        if (!grammar.matcher(text).matches())
        {
            throw new ConfigException(
                text.isBlank() ? wanted + " is missing" : "'" + shown(text) + "' is not " + wanted);
        }
    }

    private static String shown(final String text)
    {
        final String clean = text.substring(0, Math.min(text.length(), 2 * MAX_SHOWN))
            .replaceAll("[\\p{Cntrl}\uFFFD]+", " ").strip();
        final boolean cut = text.length() > 2 * MAX_SHOWN || clean.length() > MAX_SHOWN;
        return cut ? clean.substring(0, Math.min(clean.length(), MAX_SHOWN)) + " ..." : clean;
    }
}
