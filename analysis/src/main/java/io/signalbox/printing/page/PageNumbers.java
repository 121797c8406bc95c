// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.printing.Decimals;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/** Numbers as a page shows them: few digits, a unit that a person would choose, and the same text on every JVM. */
final class PageNumbers
{
    /** Shown if a figure is not known. */
    static final String NO_DATA = "\u2013";
    /** A number and its unit stay on one line. */
    static final String NB = "\u00a0";
    private static final double NANOS_PER_MILLISECOND = 1e6;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int SECONDS_PER_HOUR = 3600;

    private PageNumbers()
    {
    }

    /** Three significant digits and thousands separators: {@code 1,155}, {@code 16.7}, {@code 0.0430}. */
    static String digits(final double value)
    {
        return digits(value, 3);
    }

    static String digits(final double value, final int significant)
    {
        if (Double.isNaN(value) || Double.isInfinite(value))
        {
            return NO_DATA;
        }
        if (value == 0)
        {
            return "0";
        }
        final BigDecimal exact = new BigDecimal(value);
        final int ahead = exact.precision() - exact.scale();
        BigDecimal rounded = exact.setScale(Math.max(0, significant - ahead), RoundingMode.HALF_EVEN);
        if (rounded.signum() != 0)
        {
            // 9.996 becomes 10.0, not 10.00.
            rounded = exact.setScale(
                Math.max(0, significant - (rounded.precision() - rounded.scale())), RoundingMode.HALF_EVEN);
        }
        return separated(rounded.toPlainString());
    }

    /** A label of an axis: no more digits than it needs. */
    static String plain(final double value)
    {
        final BigDecimal rounded = new BigDecimal(value).setScale(9, RoundingMode.HALF_EVEN);
        return rounded.signum() == 0 ? "0" : separated(rounded.stripTrailingZeros().toPlainString());
    }

    private static String separated(final String number)
    {
        final int point = number.indexOf('.');
        final String whole = point < 0 ? number : number.substring(0, point);
        final boolean isNegative = whole.startsWith("-");
        return (isNegative ? "\u2212" : "") + Decimals.grouped(Long.parseLong(isNegative ? whole.substring(1) : whole)) +
            (point < 0 ? "" : number.substring(point));
    }

    static String count(final long value)
    {
        return Decimals.grouped(value);
    }

    static String plural(final long count, final String noun)
    {
        return Decimals.counted(count, noun);
    }

    /** A latency or a duration: {@code 804 ms}, {@code 3.43 s}, {@code 1 min 34 s}. */
    static String duration(final double nanos)
    {
        return duration(nanos, 3);
    }

    static String duration(final double nanos, final int significant)
    {
        if (Double.isNaN(nanos))
        {
            return NO_DATA;
        }
        final double milliseconds = nanos / NANOS_PER_MILLISECOND;
        final double seconds = milliseconds / 1000;
        if (Math.abs(milliseconds) < 999.5)
        {
            return digits(milliseconds, significant) + NB + "ms";
        }
        if (seconds < 59.95)
        {
            return digits(seconds, significant) + NB + "s";
        }
        final long whole = StrictMath.round(seconds);
        if (whole < SECONDS_PER_HOUR)
        {
            final long rest = whole % SECONDS_PER_MINUTE;
            return whole / SECONDS_PER_MINUTE + NB + "min" + (rest == 0 ? "" : NB + rest + NB + "s");
        }
        return whole / SECONDS_PER_HOUR + NB + "h" + NB + two(whole % SECONDS_PER_HOUR / SECONDS_PER_MINUTE) + NB + "min";
    }

    /** A time of the run: {@code 40:05}, with hours {@code 1:02:03}. */
    static String clock(final double seconds)
    {
        final long whole = (long)Math.floor(seconds);
        return whole < SECONDS_PER_HOUR ? whole / SECONDS_PER_MINUTE + ":" + two(whole % SECONDS_PER_MINUTE) :
            whole / SECONDS_PER_HOUR + ":" + two(whole % SECONDS_PER_HOUR / SECONDS_PER_MINUTE) + ":" +
                two(whole % SECONDS_PER_MINUTE);
    }

    private static String two(final long value)
    {
        return (value < 10 ? "0" : "") + value;
    }

    static String percent(final double share)
    {
        return percent(share, 3);
    }

    static String percent(final double share, final int significant)
    {
        return digits(share * 100, significant) + NB + "%";
    }

    /** A difference of a share, in points, or a relative one in percent: {@code +12 %}, {@code −3.4 points}. */
    static String signed(final double difference, final boolean isPoints)
    {
        if (Double.isNaN(difference))
        {
            return NO_DATA;
        }
        final double size = Math.abs(difference) * 100;
        final String number = Decimals.text(size, size < 9.95 ? 1 : 0);
        final boolean isZero = number.equals("0.0");
        return (isZero ? "" : difference > 0 ? "+" : "\u2212") + (size < 9.95 ? number :
            count(StrictMath.round(size))) + NB + (isPoints ? "points" : "%");
    }

    /** Names as in a sentence: {@code a, b and c}. */
    static String listed(final List<String> names)
    {
        final int last = names.size() - 1;
        return last <= 0 ? String.join("", names) : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
    }

    /** A large count with a suffix: {@code 144 M}, {@code 9.47 k}. */
    static String big(final double value)
    {
        final double[] limits = {1e9, 1e6, 1e3};
        final String[] suffixes = {"G", "M", "k"};
        for (int i = 0; i < limits.length; i++)
        {
            if (Math.abs(value) >= limits[i])
            {
                return digits(value / limits[i]) + NB + suffixes[i];
            }
        }
        return digits(value);
    }

    /** A label of a logarithmic axis of latencies in nanoseconds: microseconds, milliseconds or seconds. */
    static String axisLatency(final double nanos)
    {
        return nanos < 1e6 ? plain(nanos / 1e3) + " \u00b5s" :
            nanos < 1e9 ? plain(nanos / NANOS_PER_MILLISECOND) + " ms" : plain(nanos / 1e9) + " s";
    }

    /** A label of an axis of durations in seconds: {@code 0}, {@code 30 s}, {@code 1 min}. */
    static String axisSeconds(final double seconds)
    {
        return seconds == 0 ? "0" : seconds < 1 ? plain(seconds * 1e3) + " ms" :
            seconds < SECONDS_PER_MINUTE ? plain(seconds) + " s" : duration(seconds * 1e9);
    }
}
