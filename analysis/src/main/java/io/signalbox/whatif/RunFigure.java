// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.report.RunReport;

import java.util.function.ToDoubleFunction;

/** A figure of a run's report that is compared; NaN if the run measured nothing. Times are logical. */
public enum RunFigure
{
    TTFT_P50("ttftP50Ms", report -> millis(report.latency().ttft().p50Nanos())),
    TTFT_P99("ttftP99Ms", report -> millis(report.latency().ttft().p99Nanos())),
    TPOT_P50("tpotP50Ms", report -> millis(report.latency().tpot().p50Nanos())),
    TPOT_P99("tpotP99Ms", report -> millis(report.latency().tpot().p99Nanos())),
    E2E_P50("e2eP50Ms", report -> millis(report.latency().e2e().p50Nanos())),
    E2E_P99("e2eP99Ms", report -> millis(report.latency().e2e().p99Nanos())),
    REQUESTS_PER_SECOND("requestsPerSecond", report -> report.throughput().completedRequestsPerSecond()),
    OUTPUT_TOKENS_PER_SECOND("outputTokensPerSecond", report -> report.throughput().outputTokensPerSecond()),
    /** Matched over prompt tokens, 0 to 1. */
    TOKEN_HIT_RATE("tokenHitRate", report -> report.prefixCache().tokenHitRate()),
    /** Tokens of the steps, including recomputed tokens and withdrawn steps. */
    COMPUTED_TOKENS("computedTokens", report -> report.steps().tokens()),
    EVICTED_BLOCKS("evictedBlocks", report -> report.steps().evictions()),
    PREEMPTIONS("preemptions", report -> report.steps().preemptions()),
    PAUSES("pauses", report -> report.steps().pauses()),
    STEPS("steps", report -> report.steps().steps()),
    COMPLETED("completed", report -> report.requests().completed()),
    REFUSED("refused", report -> report.requests().refused()),
    MISSED_DEADLINES("missedDeadlines", report -> report.requests().missedDeadlines()),
    ABORTED_BY_NEW_WEIGHTS("abortedByNewWeights", report -> report.requests().abortedByNewWeights()),
    FAILED("failed", report -> report.requests().failed()),
    /** Requests within the service level; NaN if no service level is given. */
    GOODPUT("goodputRequestsPerSecond",
        report -> report.goodput() == null ? Double.NaN : report.goodput().requestsPerSecond()),
    /** Requests within the service level over completed, failed and refused ones, 0 to 1. */
    GOODPUT_SHARE("goodputShare", report -> report.goodput() == null ? Double.NaN : report.goodput().share());

    private static final double NANOS_PER_MILLI = 1e6;

    private final String key;
    private final ToDoubleFunction<RunReport> reading;

    RunFigure(final String key, final ToDoubleFunction<RunReport> reading)
    {
        this.key = key;
        this.reading = reading;
    }

    /** The name in files. */
    public String key()
    {
        return key;
    }

    /** Whether it is a part of 1. */
    public boolean isShare()
    {
        return this == TOKEN_HIT_RATE || this == GOODPUT_SHARE;
    }

    /** Whether it depends on how long steps take. */
    public boolean isTime()
    {
        return ordinal() <= OUTPUT_TOKENS_PER_SECOND.ordinal() || this == GOODPUT || this == GOODPUT_SHARE;
    }

    /** Whether a report has a value of it: goodput if it was asked for, everything else always. */
    public boolean isKnown(final RunReport report)
    {
        return this != GOODPUT && this != GOODPUT_SHARE || report.goodput() != null;
    }

    /** Whether a report shows it in text: the rarer ends if a request ended so. */
    public boolean isIn(final RunReport report)
    {
        return switch (this)
        {
            case MISSED_DEADLINES, ABORTED_BY_NEW_WEIGHTS, FAILED -> of(report) > 0;
            default -> isKnown(report);
        };
    }

    /** The value in a report. */
    public double of(final RunReport report)
    {
        return reading.applyAsDouble(report);
    }

    private static double millis(final Long nanos)
    {
        return nanos == null ? Double.NaN : nanos / NANOS_PER_MILLI;
    }
}
