// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.workload.JitteredArrivals;
import io.signalbox.workload.RecordedRequests;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.DirectBuffer;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The requests of a recorded run, by ascending id. */
final class RecordedWorkload implements Workload, RecordedRequests
{
    private final List<WorkloadRequest> requests;
    private final long[] ids;
    private final DirectBuffer[] submits;
    /** {@code null} if tokens and drafts are those of the seeded model. */
    private final RecordedOutput[] outputs;
    private final boolean hasDrafts;
    private final boolean hasDeadlines;
    private final int blockSizeTokens;
    private final long startNanos;

    /**
     * @param requests by ascending id.
     * @param submits  of the same requests.
     * @param outputs  of the same requests; {@code null} if the seeded model has them.
     */
    RecordedWorkload(
        final List<WorkloadRequest> requests,
        final DirectBuffer[] submits,
        final RecordedOutput[] outputs,
        final Traits traits)
    {
        this.requests = List.copyOf(requests);
        this.submits = submits;
        this.outputs = outputs;
        ids = requests.stream().mapToLong(WorkloadRequest::requestId).toArray();
        hasDrafts = traits.hasDrafts;
        hasDeadlines = traits.hasDeadlines;
        blockSizeTokens = traits.blockSizeTokens;
        startNanos = traits.startNanos;
    }

    private RecordedWorkload(final RecordedWorkload other, final List<WorkloadRequest> moved)
    {
        requests = moved;
        submits = other.submits;
        outputs = other.outputs;
        ids = other.ids;
        hasDrafts = other.hasDrafts;
        hasDeadlines = other.hasDeadlines;
        blockSizeTokens = other.blockSizeTokens;
        startNanos = other.startNanos;
    }

    /** The same requests, each arrival delayed by less than {@link #spreadNanos()}. */
    RecordedWorkload jittered(final long seed)
    {
        return new RecordedWorkload(this, new JitteredArrivals(this, seed, spreadNanos()).requests());
    }

    /** Mean time between two arrivals: a smaller delay would let every seed decide as the record did. */
    long spreadNanos()
    {
        return JitteredArrivals.meanGapNanos(requests);
    }

    /** Properties of all requests together. */
    record Traits(boolean hasDrafts, boolean hasDeadlines, int blockSizeTokens, long startNanos)
    {
    }

    @Override
    public List<WorkloadRequest> requests()
    {
        return requests;
    }

    @Override
    public int indexOf(final long requestId)
    {
        // Ids without a gap are their own index.
        final long guess = ids.length == 0 ? -1 : requestId - ids[0];
        if (guess >= 0 && guess < ids.length && ids[(int)guess] == requestId)
        {
            return (int)guess;
        }
        return Math.max(-1, Arrays.binarySearch(ids, requestId));
    }

    @Override
    public RecordedRequests recorded()
    {
        return this;
    }

    @Override
    public String placeOf(final WorkloadRequest request)
    {
        return "request " + request.requestId() + " of the journal";
    }

    @Override
    public Map<String, String> settings()
    {
        return Map.of();
    }

    @Override
    public DirectBuffer submit(final long requestId)
    {
        return submits[indexOf(requestId)];
    }

    @Override
    public boolean hasTokens()
    {
        return outputs != null;
    }

    @Override
    public int token(final long requestId, final int generated)
    {
        return outputs[indexOf(requestId)].tokenAt(generated);
    }

    @Override
    public int tokenCount(final long requestId)
    {
        return outputs[indexOf(requestId)].count();
    }

    @Override
    public boolean hasDrafts()
    {
        return hasDrafts;
    }

    @Override
    public boolean isRightDraft(final long requestId, final int generated)
    {
        return outputs[indexOf(requestId)].isRightDraft(generated);
    }

    @Override
    public boolean hasDeadlines()
    {
        return hasDeadlines;
    }

    @Override
    public int blockSizeTokens()
    {
        return blockSizeTokens;
    }

    @Override
    public long startNanos()
    {
        return startNanos;
    }
}
