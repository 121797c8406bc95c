// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.event.codec.TieRule;

import java.util.List;
import java.util.Map;

/**
 * The result of a run, from its groups alone: the same groups give the same report, live or from a journal. Wall-clock
 * figures are apart, in {@link WallClock}. All times are logical nanoseconds.
 *
 * @param tenants        by name; empty if the workload has none.
 * @param faults         what went wrong; null if the run had no fault plan.
 * @param newWeights     null if the weights were never replaced.
 * @param simulatedNanos time from the first Submit to the last input.
 */
public record RunReport(
    Requests requests,
    Latencies latency,
    Throughput throughput,
    PrefixCache prefixCache,
    Steps steps,
    InFlight inFlight,
    Placements placements,
    List<RankOccupancy> blockOccupancy,
    RowCounts routedExperts,
    List<Tenant> tenants,
    Faults faults,
    NewWeights newWeights,
    long simulatedNanos)
{
    /** The same report with the faults of the run. */
    public RunReport withFaults(final Faults value)
    {
        return new RunReport(requests, latency, throughput, prefixCache, steps, inFlight, placements, blockOccupancy,
            routedExperts, tenants, value, newWeights, simulatedNanos);
    }

    /**
     * How requests ended.
     *
     * @param submitted  Submit inputs; the sum of the other figures.
     * @param completed  ended by length or stop token.
     * @param cancelled  given up by their client.
     * @param failed     refused, failed in the backend, past their deadline, or aborted by new weights.
     * @param refused    the part of {@code failed} that was refused at once.
     * @param unfinished neither: still running when the groups ended.
     */
    public record Requests(long submitted, long completed, long cancelled, long failed, long refused, long unfinished)
    {
    }

    /**
     * Latencies as a client sees them.
     *
     * @param ttft time to first token: Submit to first emitted token; every request that emitted one.
     * @param tpot time per output token after the first, one mean per completed request with two tokens or more.
     * @param itl  gap between two successive tokens of a request; every gap, of whichever request.
     * @param e2e  Submit to end, completed requests.
     */
    public record Latencies(LatencySummary ttft, LatencySummary tpot, LatencySummary itl, LatencySummary e2e)
    {
    }

    /** Figures in nanoseconds, to three significant digits; all zero when {@code count} is zero. */
    public record LatencySummary(
        long count, double meanNanos, long p50Nanos, long p90Nanos, long p99Nanos, long maxNanos)
    {
    }

    /**
     * The requests of one tenant.
     *
     * @param submitted    refused requests included.
     * @param servedTokens prompt and output tokens of the completed ones.
     */
    public record Tenant(String name, long submitted, long completed, long servedTokens, LatencySummary ttft)
    {
    }

    /** Per second of simulated time. */
    public record Throughput(double completedRequestsPerSecond, double outputTokensPerSecond, long outputTokens)
    {
    }

    /**
     * Prefix hits at the first admission of each request; admissions after a preemption are left out, because they
     * would count a request's own blocks as hits. Rates are 0 if nothing was requested.
     *
     * @param tokenHitRate  matched tokens over prompt tokens.
     * @param blockHitRate  matched blocks over full prompt blocks.
     * @param generatedBlocks of the matched blocks, those that decoding had filled: answers of earlier turns.
     * @param pendingBlocks   of the matched blocks, those that a step in flight, or the same step, computed.
     */
    public record PrefixCache(
        double tokenHitRate,
        double blockHitRate,
        long matchedTokens,
        long promptTokens,
        long matchedBlocks,
        long promptBlocks,
        long generatedBlocks,
        long pendingBlocks,
        List<RankPrefixCache> ranks)
    {
    }

    /** The same figures for the requests first admitted on one rank. */
    public record RankPrefixCache(
        int rank, double tokenHitRate, double blockHitRate, long admittedRequests, long promptTokens, long promptBlocks)
    {
    }

    /**
     * The work of the ranks.
     *
     * @param steps         plans of single ranks, empty ones of ranks in lock-step included.
     * @param emptySteps    the empty ones, which a backend pads with a dummy request: all ranks enter the collectives.
     * @param tokens        tokens of the steps, including recomputed tokens and withdrawn steps.
     * @param tokensPerRank the same by rank.
     * @param pauses        times that a request kept its blocks and waited for a further one.
     */
    public record Steps(
        long steps, long emptySteps, long tokens, List<Long> tokensPerRank, long preemptions, long pauses,
        long evictions)
    {
    }

    /**
     * Gain and cost of several steps in flight and of draft tokens.
     *
     * @param computeNanos   time for which devices computed, all ranks; 0 if the backend does not say.
     * @param idleNanos      time for which devices were idle between two steps, the second of which was planned no later
     *                       than the results of the first were on the host.
     * @param gaps           pairs of such steps.
     * @param deadEntries    entries whose request had ended when their step landed.
     * @param acceptedDrafts  draft tokens that were right and emitted.
     * @param draftsAfterStop draft tokens that were right, but after the stop token of their request.
     * @param rejectedDrafts draft tokens that were not accepted.
     */
    public record InFlight(
        long computeNanos,
        long idleNanos,
        long gaps,
        long deadEntries,
        long acceptedDrafts,
        long draftsAfterStop,
        long rejectedDrafts)
    {
    }

    /**
     * How the ranks of requests were decided. A request that is placed again after its rank was lost counts again.
     *
     * @param configured label of the configured router.
     * @param byRouter   placements by the label of the router that decided; no zeros.
     * @param byFallback decided by the fallback of the configured router.
     * @param onHints    the request named its rank.
     * @param bound      to the rank of the request's conversation.
     * @param gateClosed matches were available, and counted as 0.
     * @param ties       placements whose best candidate was not alone, by the rule that broke the tie; no zeros.
     */
    public record Placements(
        String configured,
        long count,
        Map<String, Long> byRouter,
        long byFallback,
        long onHints,
        long bound,
        long gateClosed,
        Map<TieRule, Long> ties)
    {
    }

    /**
     * Share of a rank's pool (dummy block excluded) that running requests hold; cached blocks of ended requests do
     * not count.
     *
     * @param mean over simulated time.
     */
    public record RankOccupancy(int rank, double mean, double peak)
    {
    }

    /**
     * Rows of ended requests by origin.
     *
     * @param combineWeights whether the rows have the combine weights of their experts.
     * @param load           how evenly tokens fell on experts, over all layers; null if capture was disabled.
     */
    public record RowCounts(
        long captured, long inherited, long missing, boolean combineWeights, ExpertSkew load, List<ExpertSkew> layers)
    {
    }

    /**
     * Tokens per expert, every routed-expert row of every completed step counted once.
     *
     * @param maxOverMean            1.0: perfectly even.
     * @param coefficientOfVariation standard deviation over mean; 0.0: perfectly even.
     */
    public record ExpertSkew(double maxOverMean, double coefficientOfVariation)
    {
    }

    /**
     * Changes of weights.
     *
     * @param requeued times that a request gave up its KV blocks because former weights had computed them.
     * @param aborted  requests that ended because they had begun with former weights.
     * @param mixed    ended requests whose tokens were computed with several generations of weights.
     */
    public record NewWeights(long changes, long requeued, long aborted, long mixed)
    {
    }

    /**
     * Faults that a plan injected, and what followed.
     *
     * @param injected        injected faults by their name in the plan; no zeros.
     * @param notReached      listed faults that befell no step.
     * @param failedSteps     steps that a fault ended, impossible completions included.
     * @param timedOutSteps   steps that were in flight for too long.
     * @param withdrawnSteps  steps in flight when the backend was reset.
     * @param ignoredReports  reports that came twice, or after the step was given up.
     * @param resets          resets of the backend.
     * @param requeued        times that a request started over.
     * @param failedRequests  requests that failed after they were accepted.
     * @param refusedRequests requests that were refused because every rank was lost.
     * @param ranks           ranks that were lost, in their order.
     */
    public record Faults(
        Map<String, Long> injected,
        long notReached,
        long failedSteps,
        long timedOutSteps,
        long withdrawnSteps,
        long ignoredReports,
        long resets,
        long requeued,
        long failedRequests,
        long refusedRequests,
        List<RankDowntime> ranks)
    {
    }

    /**
     * How often a rank was lost, and for how long together.
     *
     * @param downNanos up to the resets that brought it back, or to the end of the run.
     */
    public record RankDowntime(int rank, long losses, long downNanos)
    {
    }
}
