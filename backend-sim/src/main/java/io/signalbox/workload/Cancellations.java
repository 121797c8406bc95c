// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes a seeded share of a workload's clients give up, each after an exponentially distributed time.
 *
 * @param fraction        share of the requests with a cancel time, 0 to 1. A request that ends sooner completes.
 * @param meanDelayNanos  mean time from arrival to cancel, 1 to {@link VirtualTime#MAX_MEAN_NANOS}.
 * @param seed            another seed picks other requests.
 */
public record Cancellations(double fraction, long meanDelayNanos, long seed)
{
    /** Keeps the draws apart from those of a workload with the same seed. */
    private static final long STREAM = 0x5851F42D4C957F2DL;

    public Cancellations
    {
        if (!(fraction >= 0.0 && fraction <= 1.0))
        {
            throw new ConfigException(
                "cancel fraction " + fraction + " is not between 0 and 1; give the share of requests to cancel.");
        }
        if (meanDelayNanos < 1 || meanDelayNanos > VirtualTime.MAX_MEAN_NANOS)
        {
            throw new ConfigException("mean cancel delay of " + meanDelayNanos + " ns is not between 1 and " +
                VirtualTime.MAX_MEAN_NANOS + "; give a mean time to cancel.");
        }
    }

    public Workload applyTo(final Workload workload)
    {
        final List<WorkloadRequest> requests = workload.requests().stream().map(this::maybeCancelled).toList();
        final Map<String, String> settings = new TreeMap<>(workload.settings());
        settings.put("workload.cancelFraction", Double.toString(fraction));
        settings.put("workload.cancelMeanDelayNanos", Long.toString(meanDelayNanos));
        settings.put("workload.cancelSeed", Long.toString(seed));
        return new Workload()
        {
            @Override
            public List<WorkloadRequest> requests()
            {
                return requests;
            }

            @Override
            public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
            {
                return workload.blockHashes(request, blockSizeTokens, target);
            }

            @Override
            public String placeOf(final WorkloadRequest request)
            {
                return workload.placeOf(request);
            }

            @Override
            public Map<String, String> settings()
            {
                return settings;
            }
        };
    }

    private WorkloadRequest maybeCancelled(final WorkloadRequest request)
    {
        final SplitMix64 random = new SplitMix64(SplitMix64.mix(seed ^ STREAM, request.requestId()));
        final boolean cancelled = random.nextDouble() < fraction;
        return cancelled ? request.cancelledAfter((long)(random.nextExponential() * meanDelayNanos)) : request;
    }
}
