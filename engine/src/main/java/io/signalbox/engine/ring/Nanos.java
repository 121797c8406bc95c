// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

/** Arithmetic on nanoseconds that stays at the largest number instead of overflowing. */
public final class Nanos
{
    private static final long MAX_SECONDS = Long.MAX_VALUE / 1_000_000_000L;
    private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);
    private static final String[] UNITS = {"ns", "us", "ms", "s"};

    private Nanos()
    {
    }

    /** @param duration not negative. */
    public static long of(final Duration duration)
    {
        return duration.getSeconds() >= MAX_SECONDS ? Long.MAX_VALUE : duration.toNanos();
    }

    /** In the largest unit of which it is at least one, for a sentence: {@code 10 s}, {@code 1.5 ms}. */
    public static String text(final long nanos)
    {
        int unit = 0;
        BigDecimal value = BigDecimal.valueOf(nanos);
        while (unit < UNITS.length - 1 && value.abs().compareTo(THOUSAND) >= 0)
        {
            value = value.movePointLeft(3);
            unit++;
        }
        return value.stripTrailingZeros().toPlainString() + " " + UNITS[unit];
    }

    /** From one moment to another; negative if the second one is earlier. */
    public static long between(final Instant from, final Instant to)
    {
        final Duration between = Duration.between(from, to);
        return between.isNegative() ? -of(between.negated()) : of(between);
    }

    /** The sum of two numbers that are not negative. */
    public static long sum(final long a, final long b)
    {
        final long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** A multiple of a non-negative number; {@link Long#MAX_VALUE} on overflow. */
    public static long product(final int factor, final long a)
    {
        return a > Long.MAX_VALUE / factor ? Long.MAX_VALUE : factor * a;
    }
}
