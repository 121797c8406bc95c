// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.TreeMap;

/**
 * A recorded workload whose arrivals are spread within the resolution of their clock: the smallest gap between two
 * different arrival times, by which a request may have come later than its time says. The delay is exponential with half
 * that mean, cut off at the gap, so that no request passes one with a later time. Another seed gives another run.
 */
public final class JitteredArrivals implements Workload
{
    private static final long STREAM = 0x6A69747465724CL;

    private final Workload recorded;
    private final long seed;
    /** Delays are below it. */
    private final long quantumNanos;
    private final List<WorkloadRequest> requests;

    /** @param recorded requests that follow others, or wait for a client, are left as they are. */
    public JitteredArrivals(final Workload recorded, final long seed)
    {
        this(recorded, seed, quantum(recorded.requests()));
    }

    /**
     * With delays of another size, so that requests may pass one another.
     *
     * @param quantumNanos delays are below it.
     */
    public JitteredArrivals(final Workload recorded, final long seed, final long quantumNanos)
    {
        this.recorded = recorded;
        this.seed = seed;
        this.quantumNanos = quantumNanos;
        final List<WorkloadRequest> moved = new ArrayList<>(recorded.requests().size());
        for (final WorkloadRequest request : recorded.requests())
        {
            moved.add(request.arrivalNanos() < 0 ? request : delayed(request));
        }
        requests = List.copyOf(moved);
    }

    private WorkloadRequest delayed(final WorkloadRequest request)
    {
        final long delayNanos = delay(request);
        if (VirtualTime.isPast(request.arrivalNanos(), delayNanos))
        {
            throw VirtualTime.past(recorded.placeOf(request) + " would arrive", "correct its time of arrival");
        }
        return request.arrivingAt(request.arrivalNanos() + delayNanos);
    }

    /** Mean time between two arrivals; 0 if there are fewer than two. */
    public static long meanGapNanos(final List<WorkloadRequest> requests)
    {
        final LongSummaryStatistics times = requests.stream().mapToLong(WorkloadRequest::arrivalNanos)
            .filter(nanos -> nanos >= 0).summaryStatistics();
        return times.getCount() < 2 ? 0 : (times.getMax() - times.getMin()) / (times.getCount() - 1);
    }

    /** 0 if all arrivals are at one time. */
    private static long quantum(final List<WorkloadRequest> requests)
    {
        final long[] times = requests.stream().mapToLong(WorkloadRequest::arrivalNanos)
            .filter(nanos -> nanos >= 0).sorted().distinct().toArray();
        long smallest = 0;
        for (int i = 1; i < times.length; i++)
        {
            final long gap = times[i] - times[i - 1];
            smallest = smallest == 0 ? gap : Math.min(smallest, gap);
        }
        return smallest;
    }

    private long delay(final WorkloadRequest request)
    {
        final double uniform = new SplitMix64(SplitMix64.mix(seed ^ STREAM, request.requestId())).nextDouble();
        // Inverse of the distribution function of an exponential with mean 1/2, cut off at 1.
        final double share = -0.5 * StrictMath.log(1.0 - uniform * (1.0 - StrictMath.exp(-2.0)));
        return Math.min((long)(share * quantumNanos), Math.max(0, quantumNanos - 1));
    }

    @Override
    public List<WorkloadRequest> requests()
    {
        return requests;
    }

    @Override
    public PromptText text()
    {
        return recorded.text();
    }

    @Override
    public String tenant(final WorkloadRequest request)
    {
        return recorded.tenant(request);
    }

    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return recorded.blockHashes(request, blockSizeTokens, target);
    }

    @Override
    public int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return recorded.answerNames(request, blockSizeTokens, target);
    }

    @Override
    public String placeOf(final WorkloadRequest request)
    {
        return recorded.placeOf(request);
    }

    @Override
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>(recorded.settings());
        settings.put("workload.jitterSeed", Long.toString(seed));
        settings.put("workload.jitterQuantumNanos", Long.toString(quantumNanos));
        return settings;
    }
}
