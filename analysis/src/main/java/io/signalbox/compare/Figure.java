// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.report.RunReport;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** A figure that a comparison keeps of a run's report; NaN if the run measured nothing. Times are simulated. */
public enum Figure
{
    TTFT_P50("ttftP50Ms", Better.LESS, report -> millis(report.latency().ttft().p50Nanos())),
    TTFT_P90("ttftP90Ms", Better.LESS, report -> millis(report.latency().ttft().p90Nanos())),
    TTFT_P99("ttftP99Ms", Better.LESS, report -> millis(report.latency().ttft().p99Nanos())),
    TPOT_P50("tpotP50Ms", Better.LESS, report -> millis(report.latency().tpot().p50Nanos())),
    TPOT_P90("tpotP90Ms", Better.LESS, report -> millis(report.latency().tpot().p90Nanos())),
    OUTPUT_TOKENS_PER_SECOND("outputTokensPerSecond", Better.MORE, report -> report.throughput().outputTokensPerSecond()),
    REQUESTS_PER_SECOND("requestsPerSecond", Better.MORE, report -> report.throughput().completedRequestsPerSecond()),
    /** Matched tokens over prompt tokens, 0 to 1. */
    TOKEN_HIT_RATE("tokenHitRate", Better.MORE, report -> report.prefixCache().tokenHitRate()),
    /** Computed tokens of the busiest rank over the mean of all ranks; 1: evenly spread. */
    RANK_LOAD_MAX_OVER_MEAN("rankLoadMaxOverMean", Better.LESS, report -> maxOverMean(report.steps().tokensPerRank())),
    PREEMPTIONS("preemptions", Better.LESS, report -> report.steps().preemptions()),
    COMPLETED("completed", Better.MORE, report -> report.requests().completed()),
    REFUSED("refused", Better.LESS, report -> report.requests().refused()),
    MISSED_DEADLINES("missedDeadlines", Better.LESS, report -> report.requests().missedDeadlines()),
    ABORTED_BY_NEW_WEIGHTS("abortedByNewWeights", Better.LESS, report -> report.requests().abortedByNewWeights()),
    FAILED("failed", Better.LESS, report -> report.requests().failed()),
    /** Requests within the service level; NaN if no service level is given. */
    GOODPUT("goodputRequestsPerSecond", Better.MORE,
        report -> report.goodput() == null ? Double.NaN : report.goodput().requestsPerSecond()),
    /** Requests within the service level over completed, failed and refused ones, 0 to 1. */
    GOODPUT_SHARE("goodputShare", Better.MORE,
        report -> report.goodput() == null ? Double.NaN : report.goodput().share());

    private static final double NANOS_PER_MILLI = 1e6;

    private final String key;
    private final Better better;
    private final ToDoubleFunction<RunReport> reading;

    Figure(final String key, final Better better, final ToDoubleFunction<RunReport> reading)
    {
        this.key = key;
        this.better = better;
        this.reading = reading;
    }

    /** Which values are better. */
    public enum Better
    {
        LESS, MORE
    }

    /** The name in files. */
    public String key()
    {
        return key;
    }

    public Better better()
    {
        return better;
    }

    /** NaN if the run measured nothing. */
    public double of(final RunReport report)
    {
        return reading.applyAsDouble(report);
    }

    private static double millis(final Long nanos)
    {
        return nanos == null ? Double.NaN : nanos / NANOS_PER_MILLI;
    }

    private static double maxOverMean(final List<Long> tokens)
    {
        long max = 0;
        long sum = 0;
        for (final long value : tokens)
        {
            max = Math.max(max, value);
            sum += value;
        }
        return sum == 0 ? Double.NaN : (double)max * tokens.size() / sum;
    }
}
