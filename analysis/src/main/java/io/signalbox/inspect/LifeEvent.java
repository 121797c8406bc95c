// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.engine.FinishReason;
import io.signalbox.experts.WeightSpan;
import io.signalbox.router.MatchGate;
import io.signalbox.router.TieRule;
import io.signalbox.state.FoldedMatches;

import java.util.List;

/** One event of a request, in the terms of the journal's messages. Times are logical nanoseconds. */
public sealed interface LifeEvent
{
    long timeNanos();

    /** The rank of this event; -1 for an {@link Ended} of a request on no rank. */
    int rank();

    /**
     * The router chose {@code rank}.
     *
     * @param router     label of the router that decided.
     * @param target     requests at which a rank takes no further one; 0: no target.
     * @param normaliser divisor of the loads; 0 if they were not divided.
     * @param matchesRead whether the router reads matches; if not, they come from the prefix indexes at that time.
     * @param candidates by ascending rank; a rank that is missing was full, lost or passed over.
     */
    record Placed(
        long timeNanos,
        int rank,
        String router,
        MatchGate gate,
        TieRule tieRule,
        int target,
        double normaliser,
        boolean matchesRead,
        List<Candidate> candidates) implements LifeEvent
    {
    }

    /**
     * State of one rank when the router chose.
     *
     * @param score      lower is better.
     * @param newWork    tokens to compute, as the policy counts them.
     * @param loadTerm   the load as it entered the score.
     * @param loadTokens     running load, including earlier placements of the batch.
     * @param matchedTokens  prompt tokens that the rank had cached; {@link FoldedMatches#NOT_RECORDED}: not known.
     * @param matchUsed      the match as it entered the score, in tokens.
     * @param deferredTokens tokens in {@code loadTokens} that do not delay the request, as the policy counts them.
     * @param evictedTokens  cached tokens that the request would replace, as the policy counts them.
     */
    record Candidate(
        int rank,
        double score,
        double newWork,
        double loadTerm,
        long loadTokens,
        int matchedTokens,
        int matchUsed,
        int activeRequests,
        long deferredTokens,
        int evictedTokens)
    {
    }

    /**
     * The request joined the running batch of its rank.
     *
     * @param resumed after a preemption.
     */
    record Admitted(long timeNanos, int rank, long step, int matchedBlocks, boolean resumed) implements LifeEvent
    {
    }

    /** The request was preempted: it released its blocks for other requests of its rank. */
    record Preempted(long timeNanos, int rank, int releasedBlocks) implements LifeEvent
    {
    }

    /** No KV block was left for the request: it keeps its blocks and waits for one. */
    record Paused(long timeNanos, int rank, int keptBlocks) implements LifeEvent
    {
    }

    /** The request takes part in the steps of its rank again after a pause. */
    record Continued(long timeNanos, int rank) implements LifeEvent
    {
    }

    /**
     * A step of the rank, or the rank itself, failed: the request released its blocks and starts over.
     *
     * @param reason as the backend gave it; empty if it gave none.
     */
    record Requeued(long timeNanos, int rank, int releasedBlocks, String reason) implements LifeEvent
    {
    }

    /**
     * The step whose commit emitted the request's first token.
     *
     * @param parts nanoseconds of the time to first token by {@link io.signalbox.stats.FirstTokenTimes.Part}, whose sum is
     *              exact.
     */
    record FirstToken(long timeNanos, int rank, long step, List<Long> parts) implements LifeEvent
    {
    }

    /** New weights made the request release its blocks, whose content former ones computed, and start over. */
    record Outdated(long timeNanos, int rank, int releasedBlocks) implements LifeEvent
    {
    }

    /**
     * The end; figures of routed-expert rows are 0 if capture is disabled.
     *
     * @param weights which weights computed which positions; empty if nothing was computed.
     */
    record Ended(
        long timeNanos,
        int rank,
        FinishReason reason,
        int generatedTokens,
        int capturedRows,
        int inheritedRows,
        int missingRows,
        List<WeightSpan> weights) implements LifeEvent
    {
    }
}
