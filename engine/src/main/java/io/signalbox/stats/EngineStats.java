// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import java.util.List;

/**
 * Figures of a run, since its first engine was launched. All parts but the shell are of one moment: that of the
 * last group whose results clients can see. Names follow vLLM's metrics if it has the figure.
 *
 * <p>The report of a run defines two figures differently:
 * <ul>
 * <li>Its tokens are the tokens of all steps; {@link StepFigures#computedTokens} excludes withdrawn steps and draft
 * tokens that were not emitted.
 * <li>Its prefix matches exclude an admission whose step was withdrawn; {@link PrefixFigures} includes it, because a counter
 * never falls.
 * </ul>
 *
 * @param requests    requests by state and end.
 * @param steps       steps by end, and their tokens.
 * @param prefixCache prefix matches at first admission.
 * @param rows        routed-expert rows of requests that have ended.
 * @param placements  decisions of the router.
 * @param ranks       state of each DP rank, in their order.
 * @param timeToFirstToken  {@code Submit} to first visible token, every request that has one.
 * @param interTokenLatency every gap between two successive visible tokens of one request.
 * @param endToEnd    {@code Submit} to end, requests that ended by length or stop.
 * @param queueTime   {@code Submit} to the step that first computes the request.
 * @param times       parts of the time of requests that ended by length or stop.
 * @param tokens      tokens of these requests and of steps.
 * @param kvPool      KV blocks of each rank.
 * @param shell       what the engine has around the scheduler, at the time of the question.
 */
public record EngineStats(
    RequestFigures requests,
    StepFigures steps,
    PrefixFigures prefixCache,
    Rows rows,
    PlacementFigures placements,
    List<Rank> ranks,
    Latency timeToFirstToken,
    Latency interTokenLatency,
    Latency endToEnd,
    Latency queueTime,
    RequestTimes times,
    RequestTokens tokens,
    KvPool kvPool,
    Shell shell)
{
    /**
     * @param running have KV blocks and get tokens, paused ones included.
     * @param waiting accepted and without KV blocks.
     * @param completed ended by length or stop token.
     * @param stopped of the completed ones: those that ended by a stop token.
     * @param missedDeadlines    ended by their deadlines.
     * @param abortedByNewWeights ended because the weights were replaced.
     * @param failed too many of their steps failed, or no rank was left.
     */
    public record RequestFigures(
        long running, long waiting, long paused, long accepted, long refused, long completed, long stopped,
        long cancelled, long missedDeadlines, long abortedByNewWeights, long failed, long preemptions, long restarts)
    {
    }

    /**
     * @param inFlight         steps given to a rank and not yet answered.
     * @param withdrawn        steps that will never be committed.
     * @param computedTokens   tokens of committed steps, without draft tokens that were rejected or follow a stop token.
     * @param generatedTokens  tokens that clients may see.
     * @param tokensInFlight   tokens of the steps in flight.
     * @param captureBytesInFlight bytes of routed experts that these tokens will bring from the device; 0 without capture.
     */
    public record StepFigures(
        long inFlight, long committed, long withdrawn, long computedTokens, long generatedTokens, long tokensInFlight,
        long captureBytesInFlight)
    {
    }

    /** Prompt tokens at the first admission of each request, and how many of them were found in KV blocks. */
    public record PrefixFigures(long queriedTokens, long hitTokens)
    {
    }

    /** @param rejected of the missing rows: those that the engine refused because no expert router can have chosen them. */
    public record Rows(long captured, long inherited, long missing, long rejected)
    {
    }

    /**
     * @param router         label of the configured router.
     * @param byRouter       decided by it.
     * @param fallbackRouter label of the router that it falls back to without prefix caching; the same if it needs none.
     * @param byFallback     decided by that.
     * @param gateClosed     matches were ignored because the best one covered too little of the prompt.
     * @param onHint         the request named its rank.
     * @param byConversation the conversation of the request was bound to its rank.
     */
    public record PlacementFigures(
        String router, long byRouter, String fallbackRouter, long byFallback, long gateClosed, long onHint,
        long byConversation)
    {
    }

    /**
     * @param perOutputToken mean time for each visible token after the first, of a request that has two.
     * @param inference      first step that computes the request to its last token.
     * @param prefill        first step that computes the request to its first token.
     * @param decode         first token to last token.
     */
    public record RequestTimes(Latency perOutputToken, Latency inference, Latency prefill, Latency decode)
    {
    }

    /**
     * @param prompt    of each request.
     * @param generated by each request.
     * @param limit     that each request gave for its new tokens.
     * @param step      tokens that each committed step computed.
     */
    public record RequestTokens(TokenHistogram prompt, TokenHistogram generated, TokenHistogram limit, TokenHistogram step)
    {
    }

    /** @param buckets by growing bounds; also present before the first value. */
    public record TokenHistogram(long count, long sum, List<TokenBucket> buckets)
    {
    }

    /** @param count of the values up to the bound, those of lower buckets included. */
    public record TokenBucket(long bound, long count)
    {
    }

    /** @param blocksPerRank that requests can hold. */
    public record KvPool(int blockSizeTokens, int blocksPerRank)
    {
    }

    /**
     * @param running whether the engine accepts inputs: it has neither failed nor been closed.
     * @param rings    inputs and groups on their way.
     * @param results  routed experts on their way.
     */
    public record Shell(boolean running, Rings rings, Results results)
    {
    }

    /**
     * @param ingressUsed slots of the ingress ring with inputs that the scheduler has not taken.
     * @param trackUsed   slots of the track ring with groups that dispatch, or clients, have not taken.
     * @param journalLag  groups that are not yet as durable as the user chose: no client sees them.
     * @param groups      groups that this engine has made.
     */
    public record Rings(long ingressUsed, int ingressSlots, long trackUsed, int trackSlots, long journalLag, long groups)
    {
    }

    /**
     * @param slotsInUse        capture slots whose rows the backend handed over and the engine has not released.
     * @param untakenRequests   requests that have ended and whose rows nobody has taken.
     * @param untakenBytes      of the pages of these rows; a page that requests share counts once for each.
     * @param discardedRequests whose rows were discarded so far.
     */
    public record Results(long slotsInUse, long untakenRequests, long untakenBytes, long discardedRequests)
    {
    }

    /**
     * @param kvUsage share of the rank's KV blocks that live requests hold, 0 to 1.
     * @param lost    whether the rank takes no step before a reset.
     */
    public record Rank(long running, double kvUsage, boolean lost, long resets)
    {
    }
}
