// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;

import java.util.Arrays;

/**
 * The bounds of simulated time. Every time of a run is between 0 and {@link #MAX_NANOS}, so the sum of any two fits
 * a long and is compared before it is used.
 */
public final class VirtualTime
{
    /** 2^62 ns, about 146 years. */
    public static final long MAX_NANOS = 1L << 62;
    /** The largest mean of a random time. A draw is at most 37 times the mean and stays below {@link #MAX_NANOS}. */
    public static final long MAX_MEAN_NANOS = 100_000_000_000_000_000L;

    private static final String LIMIT = "146 years (2^62 ns)";

    private VirtualTime()
    {
    }

    /** Whether {@code nanos + delayNanos} is past the limit; {@code nanos} is not, and no term is negative. */
    public static boolean isPast(final long nanos, final long delayNanos)
    {
        return delayNanos > MAX_NANOS - nanos;
    }

    /** @param event subject and verb: "line 7 of trace.jsonl would be submitted". */
    public static ConfigException past(final String event, final String remedy)
    {
        return past(remedy, (Object)event);
    }

    /** @param event texts and settings at fault, which end with subject and verb. */
    public static ConfigException past(final String remedy, final Object... event)
    {
        final Object[] parts = Arrays.copyOf(event, event.length + 1);
        parts[event.length] =
            " more than " + LIMIT + " after the start of the run, and simulated time ends there";
        return ConfigException.because(parts).allowed("within simulated time").remedy(remedy);
    }

    /** A mean of random times, from 0 to {@link #MAX_MEAN_NANOS}. */
    static Setting<Long> mean(final String name, final long defaultNanos, final String meaning)
    {
        return Setting.number(name, "ns", defaultNanos, 0, MAX_MEAN_NANOS, meaning).remedy("give a mean time");
    }
}
