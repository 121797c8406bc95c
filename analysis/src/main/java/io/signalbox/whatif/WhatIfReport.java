// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.compare.Estimate;
import io.signalbox.event.codec.TieRule;
import io.signalbox.report.RunReport;
import io.signalbox.state.FoldedMatches;

import java.util.List;
import java.util.Map;

/**
 * A recorded run, its re-run under unchanged settings, and its re-runs under others. Variants are compared with the
 * unchanged re-run, which has the same step times as they have.
 *
 * @param notRepeated sentences about the record that a re-run leaves out; empty if there is nothing.
 * @param spreadNanos arrivals of the second seed and of later ones are delayed by less; 0 with one seed.
 */
public record WhatIfReport(
    Recorded recorded, ReRun unchanged, List<ReRun> variants, List<String> notRepeated, long spreadNanos)
{
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
     * @param fromNanos    logical time of the recorded run; times of the re-runs count from it.
     * @param cachedBlocks blocks that ranks had cached then, and that re-runs begin with; 0: caches begin empty.
     * @param begunBefore  requests that had been submitted and not ended; they start over, and are not compared with the
     *                     record.
     */
    public record Start(long fromNanos, long cachedBlocks, long begunBefore)
    {
    }

    /**
     * Step times of the re-runs.
     *
     * @param source       {@code recorded}: the costs of the simulated run; {@code fitted}: least squares over the steps;
     *                     {@code given}: by the caller.
     * @param cost         costs by name, in the units of the settings {@code sim.stepCost.*}.
     * @param steps        steps that were fitted; 0 if none were.
     * @param meanErrorPercent mean of the absolute errors over the measured step times; 0 if nothing was fitted.
     * @param worstErrorPercent the largest one.
     */
    public record StepTimes(
        String source, Map<String, String> cost, long steps, double meanErrorPercent, double worstErrorPercent)
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
     * @param placements  placements with at least two candidates, or on one of at least two ranks if the router does not
     *                    read matches.
     * @param notLowest   placements that are not on the candidate with the lowest score, because of a hint, a conversation
     *                    or another order of the router.
     * @param score       sum of the scores of the chosen candidates minus the lowest scores, in the unit of the router.
     * @param lessCached  placements for which another candidate, or another rank if the router does not read matches, had
     *                    more cached tokens; {@link FoldedMatches#NOT_RECORDED} if unknown.
     * @param tokens      sum of the cached prompt tokens that these placements lost; {@code NOT_RECORDED} if unknown.
     * @param best        requests that completed in all runs of the question, and in no other run sooner than in this run.
     * @param hindsight   end-to-end latency of each such request minus its shortest latency in any of the runs.
     * @param worst       the placements that lost most in hindsight, at most 20.
     */
    public record Regret(
        long placements,
        long notLowest,
        double score,
        long lessCached,
        long tokens,
        long best,
        Distribution hindsight,
        List<RegrettedPlacement> worst)
    {
    }

    /**
     * The first placement of a request that another run of the question served sooner.
     *
     * @param lostNanos end-to-end latency minus the latency in the best run.
     * @param bestRun   name of the best run.
     * @param score     score of the chosen candidate minus the lowest score; NaN if the score table was not kept.
     * @param tokens    additional cached prompt tokens of another candidate or rank; {@link FoldedMatches#NOT_RECORDED} if
     *                  unknown, or if the table was not kept.
     */
    public record RegrettedPlacement(
        long requestId, int rank, long lostNanos, String bestRun, int bestRank, double score, long tokens)
    {
    }

    /** Two values of a setting; {@code null} if a run does not have it. */
    public record Change(String before, String after)
    {
    }

    /**
     * Decisions about requests. Total is the number of decisions that either run made.
     *
     * @param unfinished requests that had not ended when the first run did: only what it had decided by then is compared.
     * @param first the earliest placement that differs; {@code null} if none does.
     * @param list  differing decisions in the order of time, as many as were asked for.
     */
    public record Decisions(
        long total,
        long different,
        long unfinished,
        Count placements,
        Count admissions,
        Count preemptions,
        Count outcomes,
        Divergence first,
        List<ChangedDecision> list)
    {
    }

    /** Decisions of one kind. */
    public record Count(long total, long different)
    {
    }

    /**
     * A decision that differs.
     *
     * @param kind    {@code placement}: rank; {@code admission}: cached prompt tokens; {@code preemption}: how often the
     *                request was preempted or paused; {@code outcome}: how it ended.
     * @param atNanos time of the decision in the first run, or in the other run if the first run did not take the decision.
     *                A {@code preemption} has the time of the first admission.
     */
    public record ChangedDecision(long requestId, String kind, long atNanos, String before, String after)
    {
    }

    /**
     * The earliest placement that differs, with both score tables.
     *
     * @param before {@code null} if the request was not placed, or too many placements came before.
     * @param after  the same of the other run.
     */
    public record Divergence(long requestId, ScoreTable before, ScoreTable after)
    {
    }

    /**
     * A placement with the terms of all candidates, by rank.
     *
     * @param tokensGivenAway additional cached prompt tokens of another candidate, or of another rank if the router does
     *                        not read matches; {@link FoldedMatches#NOT_RECORDED} if unknown.
     */
    public record ScoreTable(long atNanos, int rank, TieRule tieRule, int tokensGivenAway, List<Candidate> candidates)
    {
    }

    /**
     * The lowest score wins.
     *
     * @param matchedTokens {@link FoldedMatches#NOT_RECORDED} if unknown.
     */
    public record Candidate(
        int rank, double score, double newWork, double loadTerm, long loadTokens, int matchedTokens, int activeRequests)
    {
    }

    /**
     * Requests of both runs.
     *
     * @param compared     completed in both.
     * @param onlyBefore   completed in the first run only.
     * @param onlyAfter    completed in the other run only.
     * @param notSubmitted in the first run only, because a predecessor did not complete.
     * @param faster       compared ones whose end-to-end latency is lower.
     * @param otherRank    compared ones that were placed elsewhere.
     * @param fewerCached  compared ones that found fewer cached tokens.
     * @param moreCached   compared ones that found more cached tokens.
     */
    public record Requests(
        long compared,
        long onlyBefore,
        long onlyAfter,
        long notSubmitted,
        long faster,
        long slower,
        long equal,
        long otherRank,
        long fewerCached,
        long moreCached)
    {
    }

    /**
     * Differences of latency of the compared requests, the other run less the first.
     *
     * @param worst the requests that lost most end-to-end time, at most 20.
     */
    public record LatencyDifference(Distribution ttft, Distribution e2e, List<SlowerRequest> worst)
    {
    }

    /** Exact order statistics in nanoseconds; all zero if {@code count} is. */
    public record Distribution(
        long count, double meanNanos, long minNanos, long p1Nanos, long p50Nanos, long p99Nanos, long maxNanos)
    {
    }

    /**
     * A request that lost time.
     *
     * @param reasons what differs about it, the most probable cause first.
     */
    public record SlowerRequest(
        long requestId, long beforeNanos, long afterNanos, int rankBefore, int rankAfter, List<String> reasons)
    {
    }
}
