// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.batch.TenantWeights;
import io.signalbox.workload.AgentPlays;
import io.signalbox.workload.AgentTrace;
import io.signalbox.workload.AgentTraceConfig;
import io.signalbox.workload.FirstRequests;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.HastenedArrivals;
import io.signalbox.workload.JitteredArrivals;
import io.signalbox.workload.Tenants;
import io.signalbox.workload.Workload;

import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * A workload that is another one with each seed: without that an interval over seeds would say nothing about it.
 *
 * @param name    unique within a comparison.
 * @param ofSeed  the workload of a seed; called from several threads. Its result is shared and only read.
 */
public record SeededWorkload(String name, LongFunction<Workload> ofSeed)
{
    /** @param builder makes a new builder with all settings but the seed. */
    public static SeededWorkload generated(final String name, final Supplier<GeneratedWorkloadConfig.Builder> builder)
    {
        return new SeededWorkload(name, seed -> GeneratedWorkload.of(builder.get().seed(seed).build()));
    }

    /**
     * A trace of arrivals; the seed spreads them within the resolution of their clock.
     *
     * @param unspread the seed that leaves the arrivals as they are.
     */
    public static SeededWorkload recorded(final String name, final Workload trace, final long unspread)
    {
        return new SeededWorkload(name, seed -> seed == unspread ? trace : new JitteredArrivals(trace, seed));
    }

    /** Plays of agents; the seed is that of their starts. */
    public static SeededWorkload agents(final String name, final AgentPlays plays, final AgentTraceConfig config)
    {
        return new SeededWorkload(name, seed -> AgentTrace.of(plays, config.withSeed(seed)));
    }

    /** With arrivals some times as fast. */
    public SeededWorkload hastened(final double speed)
    {
        return new SeededWorkload(name, seed -> new HastenedArrivals(ofSeed.apply(seed), speed));
    }

    /** Divided among tenants, by another draw with each seed. */
    public SeededWorkload divided(final TenantWeights shares)
    {
        return new SeededWorkload(name, seed -> new Tenants(shares, seed).applyTo(ofSeed.apply(seed)));
    }

    /** Only the first requests. */
    public SeededWorkload limitedTo(final int count)
    {
        return new SeededWorkload(name, seed -> new FirstRequests(ofSeed.apply(seed), count));
    }
}
