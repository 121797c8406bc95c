// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.workload.SplitMix64;

/**
 * From the end of a step on the device to its results on the host: a fixed part, a part per token of the step, and a
 * seeded jitter, uniform from 0 to its bound, that lets completions overtake one another across ranks.
 *
 * @param baseNanos     a copy of nothing.
 * @param perRowPicos   picoseconds per routed-expert row, one per token.
 * @param jitterNanos   the jitter is in [0, jitterNanos).
 */
public record D2hDelay(long baseNanos, long perRowPicos, long jitterNanos)
{
    /** 10 us per copy; 928 bytes per row over 64 GB/s PCIe (DeepSeek-V3 rows) is 14.5 ns. */
    public static final D2hDelay DEFAULT = new D2hDelay(10_000, 14_500, 200_000);

    private static final long MAX_TERM = 1_000_000_000_000L;

    public D2hDelay
    {
        checkRange("baseNanos", baseNanos);
        checkRange("perRowPicos", perRowPicos);
        checkRange("jitterNanos", jitterNanos);
    }

    /** Of any step with these rows. */
    long longestNanos(final int rows)
    {
        return Math.addExact(baseNanos + jitterNanos, StepCost.nanosOf(rows, perRowPicos));
    }

    /** A pure function of its arguments. */
    public long nanos(final long seed, final int rank, final long step, final int rows)
    {
        final long bits = SplitMix64.mix(SplitMix64.mix(seed, rank), step);
        final long jitter = jitterNanos == 0 ? 0 : Long.remainderUnsigned(bits, jitterNanos);
        return Math.addExact(baseNanos + jitter, StepCost.nanosOf(rows, perRowPicos));
    }

    private static void checkRange(final String name, final long value)
    {
        if (value < 0 || value > MAX_TERM)
        {
            throw new ConfigException(
                "D2H delay " + name + "=" + value + " is not between 0 and " + MAX_TERM + "; give a time.");
        }
    }
}
