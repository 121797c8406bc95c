// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.engine.FreeSpans;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;

/** Counts what became of requests when the weights were replaced. */
final class WeightFigures
{
    private long changes;
    private long requeued;
    private long aborted;
    private long mixed;

    void replaced()
    {
        changes++;
    }

    void onRequeued(final RequeuedDecoder request)
    {
        requeued += request.reason() == RequeueReason.NEW_WEIGHTS ? 1 : 0;
    }

    void onFree(final FreeDecoder end)
    {
        aborted += end.reason() == FreeReason.NEW_WEIGHTS ? 1 : 0;
        mixed += changes > 0 && FreeSpans.of(end).size() > 1 ? 1 : 0;
    }

    /** Null if the weights were never replaced. */
    RunReport.NewWeights figures()
    {
        return changes == 0 ? null : new RunReport.NewWeights(changes, requeued, aborted, mixed);
    }
}
