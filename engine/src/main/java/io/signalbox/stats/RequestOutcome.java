// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.state.RunRequest;

import java.util.Arrays;
import java.util.Locale;

/** The life of one request in one run, counted from its groups. Times are logical nanoseconds of that run. */
public final class RequestOutcome
{
    /** No time, no rank. */
    public static final int NONE = -1;
    private static final int[] NO_RANKS = {};
    private static final long[] NO_TIMES = {};

    private final long requestId;
    private final long submitNanos;
    private final int promptTokens;
    /** Ranks of its placements, in order; more than one if a rank was lost. */
    private int[] ranks = NO_RANKS;
    private long[] placedNanos = NO_TIMES;
    /** {@link #NONE} until it is admitted. */
    private long admittedNanos = NONE;
    private int matchedTokens;
    private long firstTokenNanos = NONE;
    long endNanos = NONE;
    int generatedTokens;
    private int preemptions;
    private int pauses;
    private int restarts;
    /** {@code null} unless it was refused. */
    RefusalReason refusal;
    /** {@code null} until it ends. */
    FreeReason end;

    RequestOutcome(final long requestId, final long submitNanos, final int promptTokens)
    {
        this.requestId = requestId;
        this.submitNanos = submitNanos;
        this.promptTokens = promptTokens;
    }

    public long requestId()
    {
        return requestId;
    }

    public long submitNanos()
    {
        return submitNanos;
    }

    public int promptTokens()
    {
        return promptTokens;
    }

    /** {@link #NONE} until it is admitted. */
    public long admittedNanos()
    {
        return admittedNanos;
    }

    /** Prompt tokens that were cached at its first admission whose step was committed. */
    public int matchedTokens()
    {
        return matchedTokens;
    }

    public boolean hasFirstToken()
    {
        return firstTokenNanos != NONE;
    }

    /** {@link #NONE} until it ends. */
    public long endNanos()
    {
        return endNanos;
    }

    public int generatedTokens()
    {
        return generatedTokens;
    }

    public int preemptions()
    {
        return preemptions;
    }

    public int pauses()
    {
        return pauses;
    }

    /** Times that it started over because a step or its rank failed, or weights were replaced. */
    public int restarts()
    {
        return restarts;
    }

    /** Whether it ended or was refused. */
    public boolean hasEnded()
    {
        return end != null || refusal != null;
    }

    void update(final RunRequest request, final int blockSizeTokens)
    {
        admittedNanos = request.admittedNanos();
        matchedTokens = Math.max(0, request.matchedBlocks()) * blockSizeTokens;
        firstTokenNanos = request.firstTokenNanos();
        preemptions = request.preemptions();
        pauses = request.pauses();
        restarts = request.restarts();
    }

    void placed(final int rank, final long timeNanos)
    {
        final int placement = ranks.length;
        ranks = Arrays.copyOf(ranks, placement + 1);
        ranks[placement] = rank;
        placedNanos = Arrays.copyOf(placedNanos, placement + 1);
        placedNanos[placement] = timeNanos;
    }

    public int placements()
    {
        return ranks.length;
    }

    /** The rank of a placement; {@link #NONE} if there were fewer. */
    public int rank(final int placement)
    {
        return placement < ranks.length ? ranks[placement] : NONE;
    }

    /** The time of a placement; {@link #NONE} if there were fewer. */
    public long placedNanos(final int placement)
    {
        return placement < ranks.length ? placedNanos[placement] : NONE;
    }

    public boolean isAdmitted()
    {
        return admittedNanos != NONE;
    }

    public boolean isCompleted()
    {
        return end == FreeReason.LENGTH || end == FreeReason.STOP;
    }

    /** From Submit to the first admission; {@link #NONE} without one. */
    public long waitNanos()
    {
        return sinceSubmit(admittedNanos);
    }

    /** From Submit to the first token; {@link #NONE} without one. */
    public long ttftNanos()
    {
        return sinceSubmit(firstTokenNanos);
    }

    /** From Submit to the end; {@link #NONE} until then. */
    public long e2eNanos()
    {
        return sinceSubmit(endNanos);
    }

    private long sinceSubmit(final long nanos)
    {
        return nanos == NONE ? NONE : nanos - submitNanos;
    }

    /** How the request ended, in words. */
    public String ending()
    {
        return refusal != null ? "refused, " + words(refusal) : end != null ? words(end) : "unfinished";
    }

    private static String words(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
