// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.SplitMix64;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Faults of simulated ranks: listed ones, and seeded rates for the steps that no listed fault concerns. At most one fault
 * befalls a step, the first that is listed. Whether one does depends on nothing but plan, seed, rank and step, so that a
 * run with faults is as repeatable as one without.
 *
 * <p>The text form has statements, each on a line or before a semicolon; {@code #} begins a comment:
 *
 * <pre>
 * rank 2 step 40 failed ECC error     # text for the journal, or none
 * rank 0 step 10..20 late 5ms
 * rank 1 step 50 lost back-after 200ms
 * rank * step 100.. duplicated
 * seed=7, dropped=0.001, late=0.01, late-by=30ms, step-timeout=2s
 * </pre>
 */
public final class FaultPlan
{
    /** The longest text of a plan, in characters. */
    public static final int MAX_TEXT_CHARS = 1 << 16;

    static final long NEVER = -1;

    private static final double UNIT = 0x1.0p-53;

    private final List<Fault> listed;
    private final Long seed;
    private final double[] rates;
    private final long lateByNanos;
    private final long stepTimeoutNanos;
    private final long backAfterNanos;
    private final boolean kvMemoryKept;

    FaultPlan(final FaultPlanText text)
    {
        listed = List.copyOf(text.listed);
        seed = text.seed;
        rates = text.rates.clone();
        lateByNanos = text.lateByNanos;
        stepTimeoutNanos = text.stepTimeoutNanos;
        backAfterNanos = text.backAfterNanos;
        kvMemoryKept = text.kvMemoryKept;
    }

    /** @throws ConfigException with line and column of what is wrong, the allowed values and the remedy. */
    public static FaultPlan parse(final String text)
    {
        return new FaultPlanText(text).read();
    }

    /** The plan as one line that {@link #parse} reads, with every setting. */
    public String text()
    {
        final StringBuilder text = new StringBuilder();
        for (final Fault fault : listed)
        {
            text.append(fault.text()).append("; ");
        }
        if (seed != null)
        {
            text.append("seed=").append(seed).append(',');
        }
        for (final FaultKind kind : FaultKind.values())
        {
            if (rates[kind.ordinal()] > 0.0)
            {
                text.append(kind.label()).append('=').append(rates[kind.ordinal()]).append(',');
            }
        }
        return text.append("late-by=").append(FaultDuration.text(lateByNanos))
            .append(",step-timeout=").append(FaultDuration.text(stepTimeoutNanos))
            .append(",back-after=").append(FaultDuration.text(backAfterNanos))
            .append(",kv=").append(kvMemoryKept ? "kept" : "lost").toString();
    }

    @Override
    public String toString()
    {
        return text();
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof FaultPlan plan && plan.text().equals(text());
    }

    @Override
    public int hashCode()
    {
        return text().hashCode();
    }

    /** @throws ConfigException when a fault cannot happen with this configuration. */
    public void check(final SchedulerConfig config)
    {
        for (final Fault fault : listed)
        {
            final int last = fault.lastRank() == Fault.ALL_RANKS ? 0 : fault.lastRank();
            if (last >= config.ranks())
            {
                throw new ConfigException("the fault '" + fault.text() + "' names rank " + last +
                    ", but the ranks are 0 to " + (config.ranks() - 1) + "; name one of them, or * for all.");
            }
            final String impossible =
                fault.corruption() == null ? null : fault.corruption().impossible(config.capture());
            if (impossible != null)
            {
                throw new ConfigException(
                    "the fault '" + fault.text() + "' " + impossible + "; leave it out, or name another corruption.");
            }
        }
    }

    /**
     * The fault of a step, or null.
     *
     * @param runSeed of the run; the plan's seed takes its place if it has one.
     * @param capture null if capture is off.
     */
    Fault of(final long runSeed, final int rank, final long step, final ModelShape capture)
    {
        for (final Fault fault : listed)
        {
            if (fault.concerns(rank, step))
            {
                return fault;
            }
        }
        final long bits = SplitMix64.mix(SplitMix64.mix(seed == null ? runSeed : seed, rank), step);
        double left = (SplitMix64.mix(bits) >>> 11) * UNIT;
        for (final FaultKind kind : FaultKind.values())
        {
            left -= rates[kind.ordinal()];
            if (left < 0.0)
            {
                return drawn(rank, step, kind, bits, capture);
            }
        }
        return null;
    }

    private Fault drawn(
        final int rank, final long step, final FaultKind kind, final long bits, final ModelShape capture)
    {
        final long nanos = kind == FaultKind.LATE ? lateByNanos : kind == FaultKind.LOST ? Fault.AS_PLANNED : 0;
        if (kind != FaultKind.CORRUPT)
        {
            return Fault.drawn(rank, step, kind, nanos, null);
        }
        final Corruption[] possible = Arrays.stream(Corruption.values())
            .filter(corruption -> corruption.impossible(capture) == null).toArray(Corruption[]::new);
        return Fault.drawn(rank, step, kind, nanos, possible[(int)Long.remainderUnsigned(bits, possible.length)]);
    }

    List<Fault> listed()
    {
        return listed;
    }

    /** How long a step may be in flight. */
    long stepTimeoutNanos()
    {
        return stepTimeoutNanos;
    }

    /** How long after its loss a rank comes back, or {@link #NEVER}. */
    long backAfterNanos(final Fault fault)
    {
        final boolean asPlanned = fault == null || fault.kind() != FaultKind.LOST || fault.nanos() == Fault.AS_PLANNED;
        return asPlanned ? backAfterNanos : fault.nanos();
    }

    /** Whether the KV blocks of the ranks survive a reset of the backend. */
    boolean kvMemoryKept()
    {
        return kvMemoryKept;
    }

    /** The rate of each kind, for messages. */
    static String sum(final double[] rates)
    {
        return Arrays.stream(FaultKind.values()).filter(kind -> rates[kind.ordinal()] > 0.0)
            .map(kind -> String.format(Locale.ROOT, "%s=%s", kind.label(), rates[kind.ordinal()]))
            .collect(Collectors.joining(" + "));
    }
}
