// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.FreeReason;

/** Counts the ends of requests by reason. */
final class EndCounts
{
    long completed;
    private long cancelled;
    private long missedDeadlines;
    private long abortedByNewWeights;
    private long failed;
    private long refused;

    void add(final FreeReason reason)
    {
        switch (reason)
        {
            case LENGTH, STOP -> completed++;
            case CANCELLED -> cancelled++;
            case DEADLINE -> missedDeadlines++;
            case NEW_WEIGHTS -> abortedByNewWeights++;
            case FAILED -> failed++;
            case NULL_VAL -> throw new InvariantViolation("a request ended without a reason");
        }
    }

    void refused()
    {
        refused++;
    }

    /** Requests of a run whose workload is not known. */
    RunReport.Requests requests(final long submitted, final long unfinished)
    {
        return new RunReport.Requests(submitted, completed, cancelled, missedDeadlines, abortedByNewWeights, failed,
            refused, unfinished, null, null);
    }
}
