// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect.history;

import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.inspect.LifeEvent;
import io.signalbox.report.ServiceLevel;
import io.signalbox.state.RunRequest;

import java.util.ArrayList;
import java.util.List;

/** A request of a {@link RunHistory}. Times are nanoseconds; {@link #NONE} if something did not happen. */
public final class PastRequest
{
    public static final long NONE = -1;
    /** The end of a request that had not ended. */
    static final String UNFINISHED = "unfinished";

    final long id;
    final long submitNanos;
    final int promptTokens;
    final String tenant;
    int rank = -1;
    private long cachedTokens;
    private long queuedNanos = NONE;
    private long ttftNanos = NONE;
    long totalNanos = NONE;
    private long tokens;
    private int preemptions;
    private int restarts;
    String end = UNFINISHED;
    /** Emptied if the request is not among the slowest. */
    List<LifeEvent.Placed> placements = new ArrayList<>(1);
    /** Lists of slow requests that it is in. */
    int lists;

    PastRequest(final SubmitDecoder submit, final long nowNanos, final String tenant)
    {
        id = submit.requestId();
        submitNanos = nowNanos;
        promptTokens = submit.promptTokens();
        this.tenant = tenant;
    }

    void update(final RunRequest request, final int blockSizeTokens)
    {
        cachedTokens = Math.min(promptTokens, Math.max(0L, request.matchedBlocks()) * blockSizeTokens);
        queuedNanos = request.admittedNanos() == RunRequest.UNKNOWN ? NONE : request.admittedNanos() - submitNanos;
        ttftNanos = request.firstTokenNanos() == RunRequest.UNKNOWN ? NONE : request.firstTokenNanos() - submitNanos;
        tokens = request.tokens();
        preemptions = request.preemptions();
        restarts = request.restarts();
    }

    public long id()
    {
        return id;
    }

    /** Logical time of the Submit. */
    public long submitNanos()
    {
        return submitNanos;
    }

    public int promptTokens()
    {
        return promptTokens;
    }

    /** The tenant, or the cache key as text; empty if there is none. */
    public String tenant()
    {
        return tenant;
    }

    /** The rank that it was placed on last; -1 if it was not placed. */
    public int rank()
    {
        return rank;
    }

    /** Prompt tokens that its first admission found in the cache; 0 if it was not admitted. */
    public long cachedTokens()
    {
        return cachedTokens;
    }

    /** From the Submit to the first admission. */
    public long queuedNanos()
    {
        return queuedNanos;
    }

    /** From the Submit to the first token. */
    public long ttftNanos()
    {
        return ttftNanos;
    }

    /** From the Submit to the end. */
    public long totalNanos()
    {
        return totalNanos;
    }

    /** Time per output token after the first of a completed request; {@link #NONE} without a second token. */
    public long tpotNanos()
    {
        return isCompleted() && ttftNanos >= 0 && tokens > 1 ? (totalNanos - ttftNanos) / (tokens - 1) : NONE;
    }

    /** Tokens that were emitted. */
    public long tokens()
    {
        return tokens;
    }

    public int preemptions()
    {
        return preemptions;
    }

    /** Times that it started over for another reason than a preemption. */
    public int restarts()
    {
        return restarts;
    }

    /** {@code length}, {@code stop}, {@code cancelled}, {@code refused: } with the reason, or another end. */
    public String end()
    {
        return end;
    }

    public boolean isCompleted()
    {
        return end.equals("length") || end.equals("stop");
    }

    /** Whether goodput counts it: it ended, and not by a cancel of its client. */
    public boolean isCounted()
    {
        return !end.equals(UNFINISHED) && !end.equals("cancelled");
    }

    /** Whether it completed within the limits. */
    public boolean isWithin(final ServiceLevel level)
    {
        return isCompleted() && ttftNanos >= 0 && level.isMet(ttftNanos, Math.max(0, tpotNanos()), totalNanos);
    }

    /** Where it was placed and why, in order; empty if the history does not keep them. */
    public List<LifeEvent.Placed> placements()
    {
        return placements;
    }
}
