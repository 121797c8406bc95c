// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as text: a number with a unit, from 1 ns to a day. */
public final class DurationText
{
    public static final String ALLOWED = "a duration from 1ns to 86400s such as 5ms, 200us or 1.5s";
    /** In the place of a duration: the text is no duration in range. */
    public static final long MALFORMED = 0;

    private static final Pattern FORM = Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,9})?)(ns|us|ms|s)");
    private static final long MAX_NANOS = 86_400_000_000_000L;
    private static final String[] UNITS = {"s", "ms", "us", "ns"};
    private static final long[] UNIT_NANOS = {1_000_000_000, 1_000_000, 1_000, 1};

    private DurationText()
    {
    }

    /** @return nanoseconds; {@link #MALFORMED} if the text is no duration in range. */
    public static long nanos(final String text)
    {
        final Matcher matcher = FORM.matcher(text);
        if (!matcher.matches())
        {
            return MALFORMED;
        }
        final BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unitNanos(matcher.group(2))));
        final boolean inRange = nanos.signum() > 0 && nanos.compareTo(BigDecimal.valueOf(MAX_NANOS)) <= 0;
        return inRange && nanos.stripTrailingZeros().scale() <= 0 ? nanos.longValueExact() : MALFORMED;
    }

    private static long unitNanos(final String unit)
    {
        int index = 0;
        while (!UNITS[index].equals(unit))
        {
            index++;
        }
        return UNIT_NANOS[index];
    }

    /** The duration in the largest unit that leaves it whole. */
    public static String text(final long nanos)
    {
        int unit = 0;
        while (nanos % UNIT_NANOS[unit] != 0)
        {
            unit++;
        }
        return nanos / UNIT_NANOS[unit] + UNITS[unit];
    }
}
