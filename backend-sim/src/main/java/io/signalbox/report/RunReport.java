// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.JsonInline;
import io.signalbox.JsonName;
import io.signalbox.router.TieRule;

import java.util.List;
import java.util.Map;

/**
 * The result of a run, from its groups alone: the same groups give the same report, live or from a journal. Wall-clock
 * figures are apart, in {@link WallClock}. All times are logical nanoseconds. A figure that was not measured is {@code null}
 * or not a number.
 *
 * @param requests       how the requests ended
 * @param latency        latencies as a client sees them
 * @param throughput     per second of simulated time
 * @param goodput        requests that met a service level; {@code null} without {@code --slo}
 * @param prefixCache    prefix matches at the first admission of each request
 * @param steps          the work of the ranks
 * @param inFlight       gain and cost of several steps in flight and of draft tokens
 * @param tenants        tenants, by name; empty without {@code --tenants}
 * @param placements     how the ranks of requests were decided
 * @param faults         injected faults and what followed; {@code null} without {@code --faults}
 * @param newWeights     changes of weights; {@code null} if the weights were never replaced
 * @param blockOccupancy KV blocks in use, by rank
 * @param routedExperts  rows of routed experts of ended requests
 * @param simulatedNanos time from the first request to the last event
 */
public record RunReport(
    Requests requests,
    Latencies latency,
    Throughput throughput,
    Goodput goodput,
    PrefixCache prefixCache,
    @JsonInline Steps steps,
    InFlight inFlight,
    List<Tenant> tenants,
    Placements placements,
    Faults faults,
    NewWeights newWeights,
    List<RankOccupancy> blockOccupancy,
    RowCounts routedExperts,
    @JsonName("simulatedSeconds") long simulatedNanos)
{
    /** The same report with the faults of the run. */
    public RunReport withFaults(final Faults value)
    {
        return new RunReport(requests, latency, throughput, goodput, prefixCache, steps, inFlight, tenants, placements,
            value, newWeights, blockOccupancy, routedExperts, simulatedNanos);
    }

    /**
     * The same report with the requests that the workload has and that were never submitted.
     *
     * @param neverAsked later turns of conversations that a cancelled or failed turn ended.
     * @param leftOut    requests that {@code --limit} leaves out.
     */
    public RunReport withNotSubmitted(final long neverAsked, final long leftOut)
    {
        return new RunReport(requests.withNotSubmitted(neverAsked, leftOut), latency, throughput, goodput, prefixCache,
            steps, inFlight, tenants, placements, faults, newWeights, blockOccupancy, routedExperts, simulatedNanos);
    }

    /**
     * How requests ended; each request counts once.
     *
     * @param submitted  requests that were submitted; the sum of the ends and of the unfinished requests
     * @param completed  ended by length or stop token
     * @param cancelled  cancelled by their client
     * @param missedDeadlines ended by their deadline
     * @param abortedByNewWeights ended because the weights were replaced
     * @param failed     ended because too many of their steps failed, or no rank was left
     * @param refused    refused by the scheduler at once
     * @param unfinished not ended when the run ended
     * @param neverAsked later turns of conversations with a turn that did not complete; not submitted; {@code null}
     *                   from {@code inspect}, because a journal does not have them
     * @param leftOut    requests of the workload beyond {@code --limit}; not submitted; {@code null} from {@code inspect}
     */
    public record Requests(
        long submitted, long completed, long cancelled, long missedDeadlines, long abortedByNewWeights, long failed,
        long refused, long unfinished, Long neverAsked, Long leftOut)
    {
        private Requests withNotSubmitted(final long never, final long out)
        {
            return new Requests(submitted, completed, cancelled, missedDeadlines, abortedByNewWeights, failed, refused,
                unfinished, never, out);
        }
    }

    /**
     * Latencies as a client sees them.
     *
     * @param ttft time to first token: Submit to first emitted token, of every request that emitted one
     * @param tpot time per output token after the first, one mean per completed request with two tokens or more
     * @param itl  time between two successive tokens of a request, every gap of every request
     * @param e2e  Submit to end, of completed requests
     * @param ttftParts the parts of the time to first token; for each request their sum is exact
     */
    public record Latencies(
        LatencySummary ttft, LatencySummary tpot, LatencySummary itl, LatencySummary e2e, FirstTokenParts ttftParts)
    {
    }

    /**
     * Where requests spend the time to their first token.
     *
     * @param queue    Submit to the plan of the first step with the request
     * @param schedule between the steps that compute its prompt: until the next one is planned
     * @param host     from the plan of a step to its launch
     * @param device   from the launch of a step to the end of its computation, or to its results if the backend does not
     *                 report that
     * @param delivery from the end of the computation to the results on the host
     */
    public record FirstTokenParts(LatencySummary queue, LatencySummary schedule, LatencySummary host,
        LatencySummary device, LatencySummary delivery)
    {
    }

    /**
     * Figures in nanoseconds, to three significant digits.
     *
     * @param count     measured values
     * @param meanNanos mean; {@code null} if {@code count} is 0, as the other figures
     * @param p50Nanos  median; may be {@code null}
     * @param p90Nanos  90th percentile; may be {@code null}
     * @param p99Nanos  99th percentile; may be {@code null}
     * @param maxNanos  maximum; may be {@code null}
     */
    public record LatencySummary(
        long count, double meanNanos, Long p50Nanos, Long p90Nanos, Long p99Nanos, Long maxNanos)
    {
    }

    /**
     * The requests of one tenant.
     *
     * @param name         name of the tenant
     * @param submitted    its requests, refused ones included
     * @param completed    ended by length or stop token
     * @param servedTokens prompt and output tokens of the completed requests
     * @param ttft         time to first token of its requests
     * @param goodput      its requests that met the service level; {@code null} without {@code --slo}
     */
    public record Tenant(
        String name, long submitted, long completed, long servedTokens, LatencySummary ttft, TenantGoodput goodput)
    {
    }

    /**
     * Requests that met a service level. A request that missed its deadline, was aborted by new weights, failed or was
     * refused did not meet it; requests that their client cancelled and unfinished requests are not counted.
     *
     * @param slo               the limits
     * @param requests          completed requests within all limits
     * @param counted           requests that ended, except by a cancel of their client; refused ones included
     * @param share             requests within the limits over counted requests, 0 to 1; {@code null} if none was counted
     * @param requestsPerSecond requests within the limits per second; {@code null} if no time passed
     * @param ranks             the same by the rank on which a request ended, without requests that were refused
     */
    public record Goodput(
        ServiceLevel slo, long requests, long counted, double share, double requestsPerSecond, List<RankGoodput> ranks)
    {
    }

    /**
     * The same figures for the requests that ended on one rank.
     *
     * @param rank              the rank
     * @param requests          completed requests within all limits
     * @param counted           requests that ended on it, except by a cancel of their client
     * @param share             0 to 1; {@code null} if none was counted
     * @param requestsPerSecond requests within the limits per second; {@code null} if no time passed
     */
    public record RankGoodput(int rank, long requests, long counted, double share, double requestsPerSecond)
    {
    }

    /**
     * The same figures for the requests of one tenant.
     *
     * @param requests          completed requests within all limits
     * @param counted           requests that ended, except by a cancel of their client; refused ones included
     * @param share             0 to 1; {@code null} if none was counted
     * @param requestsPerSecond requests within the limits per second; {@code null} if no time passed
     */
    public record TenantGoodput(long requests, long counted, double share, double requestsPerSecond)
    {
    }

    /**
     * Per second of simulated time.
     *
     * @param completedRequestsPerSecond completed requests per simulated second; {@code null} if no time passed
     * @param outputTokensPerSecond      output tokens per simulated second; {@code null} if no time passed
     * @param outputTokens               output tokens
     */
    public record Throughput(double completedRequestsPerSecond, double outputTokensPerSecond, long outputTokens)
    {
    }

    /**
     * Prefix matches at the first admission of each request; admissions after a preemption are left out, because they
     * would count a request's own blocks as matches.
     *
     * @param tokenHitRate    matched tokens over prompt tokens, 0 to 1; {@code null} without prompt tokens
     * @param blockHitRate    matched blocks over full prompt blocks, 0 to 1; {@code null} without prompt blocks
     * @param matchedTokens   prompt tokens that a cached prefix spared
     * @param promptTokens    prompt tokens of admitted requests
     * @param matchedBlocks   prompt blocks that were cached
     * @param promptBlocks    full prompt blocks of admitted requests
     * @param generatedBlocks matched blocks that decoding had filled: answers of earlier turns
     * @param pendingBlocks   matched blocks that a step in flight, or the same step, computed
     * @param ranks           the same figures for the requests first admitted on each rank
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
        @JsonName("perRank") List<RankPrefixCache> ranks)
    {
    }

    /**
     * Prefix matches of the requests first admitted on one rank.
     *
     * @param rank             rank
     * @param tokenHitRate     matched tokens over prompt tokens, 0 to 1; {@code null} without prompt tokens
     * @param blockHitRate     matched blocks over full prompt blocks, 0 to 1; {@code null} without prompt blocks
     * @param admittedRequests requests whose first admission was on this rank; resumed requests do not count again
     * @param promptTokens     their prompt tokens
     * @param promptBlocks     their full prompt blocks
     */
    public record RankPrefixCache(
        int rank, double tokenHitRate, double blockHitRate, long admittedRequests, long promptTokens, long promptBlocks)
    {
    }

    /**
     * The work of the ranks.
     *
     * @param steps         steps of all ranks, empty steps of ranks in lock-step included
     * @param emptySteps    steps with an empty plan, in lock-step only: a backend pads them with a dummy request
     * @param tokens        tokens of all steps, including recomputed tokens and withdrawn steps
     * @param tokensPerRank tokens of the steps of each rank
     * @param preemptions   times that a request was preempted
     * @param pauses        times that a request kept its KV blocks and waited for another block
     * @param evictions     cached KV blocks that were evicted
     * @param mostRequests  most requests in one step of a rank
     */
    public record Steps(
        long steps, long emptySteps, long tokens, List<Long> tokensPerRank, long preemptions, long pauses,
        long evictions, @JsonName("mostRequestsOfAStep") int mostRequests)
    {
    }

    /**
     * Gain and cost of several steps in flight and of draft tokens.
     *
     * @param computeNanos    time for which devices computed, all ranks; 0 if the backend does not say
     * @param idleNanos       time for which devices were idle between two steps, the second of which was planned no later
     *                        than the results of the first were on the host
     * @param gaps            pairs of such steps
     * @param deadEntries     entries whose request had ended when their step landed
     * @param acceptedDrafts  draft tokens that were right and emitted
     * @param draftsAfterStop draft tokens that were right, but after the stop token of their request; not emitted
     * @param rejectedDrafts  draft tokens that were not accepted
     */
    public record InFlight(
        @JsonName("computeNanos") long computeNanos,
        @JsonName("idleNanos") long idleNanos,
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
     * @param configured label of the configured router
     * @param count      placements
     * @param byRouter   placements by the label of the router that decided; no zeros
     * @param byFallback placements by the fallback of the configured router
     * @param onHints    placements on the rank that the request named
     * @param bound      placements on the rank of the request's conversation
     * @param gateClosed placements with matches that counted as 0, because the match gate was closed
     * @param ties       placements whose best candidate was not alone, by the rule that broke the tie; no zeros
     */
    public record Placements(
        @JsonName("configuredRouter") String configured,
        @JsonName("placements") long count,
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
     * @param rank rank
     * @param mean share of its KV blocks in use, mean over simulated time; {@code null} if no time passed
     * @param peak largest such share
     */
    public record RankOccupancy(int rank, double mean, double peak)
    {
    }

    /**
     * Rows of ended requests by origin.
     *
     * @param captured       rows that were captured
     * @param inherited      rows that came from another request with the same prefix
     * @param missing        rows that are missing
     * @param combineWeights whether the rows have the combine weights of their experts
     * @param load           how evenly tokens fell on experts, over all layers; {@code null} without capture
     * @param layers         the same for each MoE layer, in the order of {@code settings.model.layerIds}
     */
    public record RowCounts(
        long captured, long inherited, long missing, boolean combineWeights, @JsonName("loadSkew") ExpertSkew load,
        @JsonName("loadSkewPerLayer") List<ExpertSkew> layers)
    {
    }

    /**
     * Tokens per expert, every routed-expert row of every completed step counted once.
     *
     * @param maxOverMean            routed tokens of the busiest expert over the mean; 1: even; {@code null} without rows
     * @param coefficientOfVariation standard deviation over mean of routed tokens per expert; 0: even; {@code null} without
     *                               rows
     */
    public record ExpertSkew(double maxOverMean, double coefficientOfVariation)
    {
    }

    /**
     * Changes of weights.
     *
     * @param changes  times that the weights were replaced
     * @param requeued times that a request gave up its KV blocks because former weights had computed them
     * @param aborted  requests that ended because they had begun with former weights
     * @param mixed    ended requests whose tokens were computed with several generations of weights
     */
    public record NewWeights(
        long changes, @JsonName("restarts") long requeued, @JsonName("abortedRequests") long aborted,
        @JsonName("mixedRequests") long mixed)
    {
    }

    /**
     * Faults that a plan injected, and what followed.
     *
     * @param injected        injected faults by their name in the plan; no zeros
     * @param notReached      listed faults that no step reached
     * @param failedSteps     steps that a fault of the backend ended, impossible completions included
     * @param timedOutSteps   steps that were in flight for too long
     * @param withdrawnSteps  steps in flight when the backend was reset
     * @param ignoredReports  reports of the backend that came twice, or after the step was given up
     * @param resets          resets of the backend
     * @param requeued        times that a request gave up its blocks and started over
     * @param failedRequests  requests that failed after they were accepted
     * @param refusedRequests requests that were refused because every rank was lost
     * @param ranks           ranks that were lost, in their order
     */
    public record Faults(
        Map<String, Long> injected,
        long notReached,
        long failedSteps,
        long timedOutSteps,
        long withdrawnSteps,
        long ignoredReports,
        long resets,
        @JsonName("restarts") long requeued,
        long failedRequests,
        long refusedRequests,
        @JsonName("lostRanks") List<RankDowntime> ranks)
    {
    }

    /**
     * How often a rank was lost, and for how long together.
     *
     * @param rank      rank
     * @param losses    times that it was lost
     * @param downNanos simulated time up to the resets that brought it back, or to the end of the run
     */
    public record RankDowntime(int rank, long losses, @JsonName("downSeconds") long downNanos)
    {
    }
}
