// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.JsonName;
import io.signalbox.JsonNull;
import io.signalbox.compare.Estimate;
import io.signalbox.report.RunReport;
import io.signalbox.router.TieRule;
import io.signalbox.state.FoldedMatches;

import java.util.List;
import java.util.Map;

/**
 * A recorded run, its re-run under unchanged settings, and its re-runs under others. Variants are compared with the
 * unchanged re-run, which has the same step times as they have.
 *
 * @param verdict     whether times can be compared.
 * @param notRepeated sentences about the record that a re-run leaves out; empty if there is nothing.
 * @param spreadNanos arrivals of the second seed and of later ones are delayed by less; 0 with one seed.
 */
public record WhatIfReport(
    TimesVerdict verdict, Recorded recorded, ReRun unchanged, List<ReRun> variants, List<String> notRepeated,
    long spreadNanos)
{
    /**
     * Whether times of re-runs can be compared, by how the unchanged re-run repeats the times of the record.
     *
     * @param sentence         the verdict in words
     * @param timesTrusted     whether times can be compared; otherwise only decisions and hit rates can
     * @param withinPercent    times may differ by so much without a cause; {@code null} if they are not trusted
     * @param ttftP50Percent   median TTFT of the unchanged re-run over that of the record, less 1, in percent; {@code null}
     *                         without requests
     * @param tpotP50Percent   the same of the time per output token; {@code null} without requests
     * @param comparedRequests requests that completed in the record and in the unchanged re-run
     */
    public record TimesVerdict(
        String sentence, boolean timesTrusted, double withinPercent, double ttftP50Percent, double tpotP50Percent,
        long comparedRequests)
    {
    }

    /**
     * The run in the journal.
     *
     * @param settings   its run description.
     * @param decisionDigest of refusals, placements, plans, preemptions and ends with their times, as 16 hexadecimal digits.
     * @param start      {@code null} if the whole run is re-run.
     */
    public record Recorded(
        Map<String, String> settings, RunReport report, String decisionDigest, StepTimes stepTimes, Start start)
    {
    }

    /**
     * The time at which the re-runs begin.
     *
     * @param fromNanos    logical time of the recorded run; times of the re-runs count from it
     * @param cachedBlocks blocks that ranks had cached then, with which the re-runs begin; 0 with {@code --cold}
     * @param begunBefore  requests that had been submitted and not ended; they start over, and are not compared with the
     *                     record
     */
    public record Start(@JsonName("seconds") long fromNanos, long cachedBlocks, long begunBefore)
    {
    }

    /**
     * Step times of the re-runs.
     *
     * @param source            {@code recorded}: the costs of the simulated run; {@code fitted}: least squares over the
     *                          steps; {@code given}: by options, or by the file of {@code --cost}
     * @param cost              costs of a step by name, in the units of the settings {@code sim.stepCost.*}
     * @param steps             steps that were fitted; 0 if none were
     * @param medianErrorPercent median of the absolute errors over the measured step times; 0 if nothing was fitted
     * @param explained         share of the variance of step times that the fit explains, up to 1 (R²); re-runs draw the
     *                          rest from the recorded errors, by seed; 1 if nothing was fitted
     * @param extrapolated      how the re-runs leave the range of the measurements of {@code --cost}; empty: they do not
     */
    public record StepTimes(
        String source, Map<String, String> cost, @JsonName("fittedSteps") long steps, double medianErrorPercent,
        double explained, List<String> extrapolated)
    {
    }

    /**
     * One re-run, and what it has in common with the run that it is compared with: the record for the unchanged re-run, the
     * unchanged re-run for a variant.
     *
     * @param changed settings that differ, by name.
     * @param experts {@code null} if they were not asked for.
     * @param seeds   differences of the figures over seeds; empty with one seed, and for the unchanged re-run.
     */
    public record ReRun(
        String name,
        Map<String, Change> changed,
        RunReport report,
        String decisionDigest,
        Decisions decisions,
        Requests requests,
        LatencyDifference latency,
        Regret regret,
        ExpertFigures experts,
        Map<RunFigure, Estimate> seeds)
    {
    }

    /**
     * Regret of the placements of a run, by its own score tables, by the caches of ranks, and in hindsight.
     *
     * @param placements placements with at least two candidates, or on one of at least two ranks if the router does not
     *                   read matches
     * @param notLowest  placements that are not on the candidate with the lowest score, because of a hint, a conversation
     *                   or another order of the router
     * @param score      sum of the scores of the chosen candidates minus the lowest scores, in the unit of the router
     * @param lessCached placements for which another candidate, or another rank if the router does not read matches, had
     *                   more cached tokens; {@code null} if the matches are unknown
     * @param tokens     sum of the cached prompt tokens that these placements lost; {@code null} if they are unknown
     * @param best       requests that completed in all runs of the question, and in no other run sooner than in this run
     * @param hindsight  end-to-end latency of each such request minus its shortest latency in any of the runs
     * @param worst      the placements that lost most in hindsight, at most 20
     */
    public record Regret(
        long placements,
        @JsonName("notLowestScore") long notLowest,
        double score,
        @JsonNull(FoldedMatches.NOT_RECORDED) long lessCached,
        @JsonName("cachedTokens") @JsonNull(FoldedMatches.NOT_RECORDED) long tokens,
        @JsonName("bestRequests") long best,
        Distribution hindsight,
        List<RegrettedPlacement> worst)
    {
    }

    /**
     * The first placement of a request that another run of the question served sooner.
     *
     * @param requestId the request
     * @param rank      its first rank in this run
     * @param lostNanos end-to-end latency minus the latency in the best run
     * @param bestRun   name of the best run
     * @param bestRank  its first rank there
     * @param score     score of the chosen candidate minus the lowest score; {@code null} if the score table was not kept
     * @param tokens    additional cached prompt tokens of another candidate or rank; {@code null} if they are unknown, or
     *                  the table was not kept
     */
    public record RegrettedPlacement(
        long requestId, int rank, long lostNanos, String bestRun, int bestRank, double score,
        @JsonName("cachedTokens") @JsonNull(FoldedMatches.NOT_RECORDED) long tokens)
    {
    }

    /**
     * Two values of a setting.
     *
     * @param before the recorded value; {@code null} if the run has no such setting
     * @param after  the value in the variant; {@code null} if the run has no such setting
     */
    public record Change(String before, String after)
    {
    }

    /**
     * Decisions about requests. Total is the number of decisions that either run made.
     *
     * @param total       decisions that either run made
     * @param different   decisions that differ
     * @param unfinished  requests that had not ended when the first run did: only what it had decided by then is compared
     * @param placements  placements: ranks
     * @param admissions  admissions: cached prompt tokens
     * @param preemptions requests that were preempted or paused; different: not as often in both runs
     * @param outcomes    ends of requests
     * @param first       the earliest placement that differs; {@code null} if every placement is equal
     * @param list        differing decisions in the order of time, as many as were asked for
     */
    public record Decisions(
        long total,
        long different,
        long unfinished,
        Count placements,
        Count admissions,
        Count preemptions,
        Count outcomes,
        @JsonName("firstPlacement") Divergence first,
        List<ChangedDecision> list)
    {
    }

    /**
     * Decisions of one kind.
     *
     * @param total     decisions that either run made
     * @param different decisions that differ
     */
    public record Count(long total, long different)
    {
    }

    /**
     * A decision that differs.
     *
     * @param requestId the request
     * @param kind      {@code placement}: rank; {@code admission}: cached prompt tokens; {@code preemption}: how often the
     *                  request was preempted or paused; {@code outcome}: how it ended
     * @param atNanos   logical time of the decision in the first run, or in the other run if the first run did not take the
     *                  decision; a {@code preemption} has the time of the first admission
     * @param before    the decision of the first run, in words
     * @param after     the decision of the other run, in words
     */
    public record ChangedDecision(
        long requestId, String kind, @JsonName("seconds") long atNanos, String before, String after)
    {
    }

    /**
     * The earliest placement that differs, with both score tables.
     *
     * @param requestId the request
     * @param before    the score table of the first run; {@code null} if the request was not placed, or too many placements
     *                  came before
     * @param after     the score table of the other run; {@code null} in the same cases
     */
    public record Divergence(long requestId, ScoreTable before, ScoreTable after)
    {
    }

    /**
     * A placement with the terms of all candidates, by rank.
     *
     * @param atNanos         logical time of the placement
     * @param rank            the chosen rank
     * @param tieRule         the rule that broke a tie, or the reason without scores
     * @param tokensGivenAway additional cached prompt tokens of another candidate, or of another rank if the router does
     *                        not read matches; {@code null} if they are unknown
     * @param candidates      candidates by ascending rank
     */
    public record ScoreTable(
        @JsonName("seconds") long atNanos, int rank, TieRule tieRule,
        @JsonNull(FoldedMatches.NOT_RECORDED) int tokensGivenAway, List<Candidate> candidates)
    {
    }

    /**
     * A candidate of a placement; the lowest score wins.
     *
     * @param rank           rank of the candidate
     * @param score          its score
     * @param newWork        the term of tokens to compute
     * @param loadTerm       the term of the load
     * @param loadTokens     the load in tokens
     * @param matchedTokens  prompt tokens that this rank has cached; {@code null} if they are unknown
     * @param activeRequests requests on the rank
     */
    public record Candidate(
        int rank, double score, double newWork, double loadTerm, long loadTokens,
        @JsonNull(FoldedMatches.NOT_RECORDED) int matchedTokens, int activeRequests)
    {
    }

    /**
     * Requests of both runs.
     *
     * @param compared     completed in both runs
     * @param onlyBefore   completed in the first run only
     * @param onlyAfter    completed in the other run only
     * @param notSubmitted not submitted in the other run, because a predecessor did not complete
     * @param faster       compared requests whose end-to-end latency is lower
     * @param slower       compared requests whose end-to-end latency is higher
     * @param equal        compared requests whose end-to-end latency is equal
     * @param otherRank    compared requests that were placed elsewhere
     * @param fewerCached  compared requests that found fewer cached tokens
     * @param moreCached   compared requests that found more cached tokens
     */
    public record Requests(
        long compared,
        @JsonName("completedOnlyBefore") long onlyBefore,
        @JsonName("completedOnlyAfter") long onlyAfter,
        long notSubmitted,
        long faster,
        long slower,
        long equal,
        long otherRank,
        @JsonName("fewerCachedTokens") long fewerCached,
        @JsonName("moreCachedTokens") long moreCached)
    {
    }

    /**
     * Differences of latency of the compared requests, the other run less the first.
     *
     * @param ttft  differences of the time to first token
     * @param e2e   differences of the end-to-end latency
     * @param worst the requests that lost most end-to-end time, at most 20
     */
    public record LatencyDifference(
        @JsonName("ttftDifference") Distribution ttft, @JsonName("e2eDifference") Distribution e2e,
        List<SlowerRequest> worst)
    {
    }

    /**
     * Exact order statistics in nanoseconds; all zero if {@code count} is.
     *
     * @param count     values
     * @param meanNanos mean
     * @param minNanos  minimum
     * @param p1Nanos   1st percentile
     * @param p50Nanos  median
     * @param p99Nanos  99th percentile
     * @param maxNanos  maximum
     */
    public record Distribution(
        long count, double meanNanos, long minNanos, long p1Nanos, long p50Nanos, long p99Nanos, long maxNanos)
    {
    }

    /**
     * A request that lost time.
     *
     * @param requestId   the request
     * @param beforeNanos its end-to-end latency in the first run
     * @param afterNanos  its end-to-end latency in the other run
     * @param rankBefore  its first rank in the first run
     * @param rankAfter   its first rank in the other run
     * @param reasons     what differs about it, the most probable cause first
     */
    public record SlowerRequest(
        long requestId, long beforeNanos, long afterNanos, int rankBefore, int rankAfter, List<String> reasons)
    {
    }
}
