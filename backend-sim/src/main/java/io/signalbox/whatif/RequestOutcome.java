// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusalReason;

import java.util.Arrays;
import java.util.Locale;

/** The life of one request in one run. Times are logical nanoseconds of that run. */
final class RequestOutcome
{
    static final int NONE = -1;
    private static final int[] NO_RANKS = {};

    final long requestId;
    final long submitNanos;
    final int promptTokens;
    /** Ranks of its placements, in order; more than one if a rank was lost. */
    private int[] ranks = NO_RANKS;
    /** {@link #NONE} until it is admitted. */
    long admittedNanos = NONE;
    /** Prompt tokens that were cached at its first admission. */
    int matchedTokens;
    long firstTokenNanos = NONE;
    long endNanos = NONE;
    int generatedTokens;
    int preemptions;
    int pauses;
    int restarts;
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

    void placed(final int rank)
    {
        ranks = Arrays.copyOf(ranks, ranks.length + 1);
        ranks[ranks.length - 1] = rank;
    }

    int placements()
    {
        return ranks.length;
    }

    /** The rank of a placement; {@link #NONE} if there were fewer. */
    int rank(final int placement)
    {
        return placement < ranks.length ? ranks[placement] : NONE;
    }

    boolean isAdmitted()
    {
        return admittedNanos != NONE;
    }

    boolean isCompleted()
    {
        return end == FreeReason.LENGTH || end == FreeReason.STOP;
    }

    long waitNanos()
    {
        return admittedNanos - submitNanos;
    }

    long ttftNanos()
    {
        return firstTokenNanos - submitNanos;
    }

    long e2eNanos()
    {
        return endNanos - submitNanos;
    }

    /** How the request ended, in words. */
    String ending()
    {
        return refusal != null ? "refused, " + words(refusal) : end != null ? words(end) : "unfinished";
    }

    private static String words(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
