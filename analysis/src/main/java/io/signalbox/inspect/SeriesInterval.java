// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.report.LatencyRecorder;
import io.signalbox.report.RunReport.LatencySummary;
import io.signalbox.report.ServiceLevel;
import io.signalbox.state.RunRequest;

/** What happened in one interval of a {@link SeriesQuery}, on one rank or in the whole run. */
final class SeriesInterval
{
    final IntervalLatency ttft = new IntervalLatency();
    final IntervalLatency tpot = new IntervalLatency();
    long arrivals;
    long completed;
    long cancelled;
    long missedDeadlines;
    long abortedByNewWeights;
    long failed;
    long refused;
    long promptTokens;
    long matchedTokens;
    long emitted;
    long withinLimits;

    /** {@code null} without prompt tokens. */
    Double hitRate()
    {
        return promptTokens <= 0 ? null : (Double)((double)matchedTokens / promptTokens);
    }

    /** @param level {@code null}: goodput is not asked for. */
    void end(final FreeReason reason, final RunRequest request, final ServiceLevel level, final long nowNanos)
    {
        switch (reason)
        {
            case LENGTH, STOP -> complete(request, level, nowNanos);
            case CANCELLED -> cancelled++;
            case DEADLINE -> missedDeadlines++;
            case NEW_WEIGHTS -> abortedByNewWeights++;
            case FAILED -> failed++;
            case NULL_VAL -> throw new InvariantViolation("a request ended without a reason");
        }
    }

    private void complete(final RunRequest request, final ServiceLevel level, final long nowNanos)
    {
        completed++;
        if (request.tokens() > 0 && request.firstTokenNanos() == RunRequest.UNKNOWN)
        {
            return;
        }
        if (request.tokens() > 1)
        {
            tpot.record(request.tpotNanos());
        }
        final long ttftNanos = request.tokens() == 0 ? 0 : request.firstTokenNanos() - request.submitNanos();
        withinLimits +=
            level != null && level.isMet(ttftNanos, request.tpotNanos(), nowNanos - request.submitNanos()) ? 1 : 0;
    }

    /** Latencies of an interval: most intervals of most ranks are empty, so a histogram is made for the first one. */
    static final class IntervalLatency
    {
        private LatencyRecorder recorder;
        private LatencySummary summary;

        void record(final long nanos)
        {
            recorder = recorder == null ? new LatencyRecorder() : recorder;
            recorder.record(nanos);
        }

        /** {@code null} without a latency. */
        Long p50()
        {
            return recorder == null ? null : summary().p50Nanos();
        }

        /** {@code null} without a latency. */
        Long p99()
        {
            return recorder == null ? null : summary().p99Nanos();
        }

        private LatencySummary summary()
        {
            summary = summary == null ? recorder.summary() : summary;
            return summary;
        }
    }
}
