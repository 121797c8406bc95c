// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.codec.FaultClass;

/** Turns the reports of a backend into inputs, whatever threads they come from. */
final class IngressSink implements CompletionSink
{
    private final Engine engine;
    private final ReportEncoding.Pool encodings;

    IngressSink(final Engine engine, final int ranks)
    {
        this.engine = engine;
        encodings = new ReportEncoding.Pool(ranks);
    }

    @Override
    public void forward(
        final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        final ReportEncoding encoding = encodings.take(rank);
        try
        {
            encoding.forward(timeNanos, epoch, rank, step, deviceTimeNanos);
            offer(encoding, null);
        }
        finally
        {
            encodings.giveBack(rank, encoding);
        }
    }

    @Override
    public void d2hComplete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final int[] sampledTokens,
        final int sampledCount,
        final CaptureSlice rows)
    {
        final ReportEncoding encoding = encodings.take(rank);
        try
        {
            final boolean copied =
                encoding.d2hComplete(timeNanos, epoch, rank, step, sampledTokens, sampledCount, rows);
            if (copied)
            {
                rows.release();
            }
            offer(encoding, copied ? null : rows);
        }
        finally
        {
            encodings.giveBack(rank, encoding);
        }
    }

    @Override
    public void fault(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final FaultClass faultClass,
        final String detail)
    {
        final ReportEncoding encoding = encodings.take(rank);
        try
        {
            encoding.fault(timeNanos, epoch, rank, step, faultClass, detail);
            offer(encoding, null);
        }
        finally
        {
            encodings.giveBack(rank, encoding);
        }
    }

    private void offer(final ReportEncoding encoding, final CaptureSlice rows)
    {
        engine.offer(encoding.writer.buffer(), 0, encoding.writer.length(), rows);
    }
}
