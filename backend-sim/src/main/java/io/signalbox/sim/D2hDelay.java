// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.config.Setting;
import io.signalbox.workload.SplitMix64;

import java.util.List;

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
    private static final long MAX_TERM = 1_000_000_000_000L;

    public static final Setting<Long> BASE_NANOS = time("baseNanos", "ns", 10_000, "A copy of nothing.")
        .option("--d2h-base-nanos", "NS", "Deliver the results of a step to the host NS after its end");
    public static final Setting<Long> PER_ROW_PICOS = time("perRowPicos", "ps", 14_500, "Per routed-expert row.")
        .option("--d2h-row-picos", "PS", "Add PS picoseconds to that per routed-expert row");
    public static final Setting<Long> JITTER_NANOS =
        time("jitterNanos", "ns", 200_000, "Seeded jitter, from 0 to below this.")
        .option("--d2h-jitter-nanos", "NS", "Add seeded jitter below NS to that");
    public static final List<Setting<?>> SETTINGS = List.of(BASE_NANOS, PER_ROW_PICOS, JITTER_NANOS);

    /** 10 us per copy; 928 bytes per row over 64 GB/s PCIe (DeepSeek-V3 rows) is 14.5 ns. */
    public static final D2hDelay DEFAULT =
        new D2hDelay(BASE_NANOS.defaultValue(), PER_ROW_PICOS.defaultValue(), JITTER_NANOS.defaultValue());

    public D2hDelay
    {
        BASE_NANOS.check(baseNanos);
        PER_ROW_PICOS.check(perRowPicos);
        JITTER_NANOS.check(jitterNanos);
    }

    private static Setting<Long> time(
        final String name, final String unit, final long defaultValue, final String meaning)
    {
        return Setting.number("d2hDelay." + name, unit, defaultValue, 0, MAX_TERM, meaning).remedy("give a time");
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
}
