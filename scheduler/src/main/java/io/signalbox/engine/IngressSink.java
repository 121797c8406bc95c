// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.InputWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.RowForm;

/**
 * Turns the reports of a backend into inputs. Each rank has a writer of its own, because the reports of one rank come
 * one after the other while those of different ranks may come at once.
 */
final class IngressSink implements CompletionSink
{
    private final Engine engine;
    private final InputWriter[] writers;
    private final RowsChecksum[] checksums;

    IngressSink(final Engine engine, final int ranks)
    {
        this.engine = engine;
        writers = new InputWriter[ranks];
        checksums = new RowsChecksum[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            writers[rank] = new InputWriter();
            checksums[rank] = new RowsChecksum();
        }
    }

    @Override
    public void forward(
        final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        final InputWriter writer = writers[rank];
        writer.forward().timeNanos(timeNanos).step(step).deviceTimeNanos(deviceTimeNanos).epoch(epoch).rank(rank);
        engine.offer(writer.buffer(), 0, writer.length(), null);
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
        final InputWriter writer = writers[rank];
        final int rowsLength = rows == null ? 0 : rows.rowCount() * rows.rowBytes();
        final boolean inline = rows != null && rowsLength <= InputWriter.MAX_INLINE_ROWS_BYTES;
        final D2hCompleteEncoder message = writer.d2hComplete()
            .timeNanos(timeNanos)
            .step(step)
            .epoch(epoch)
            .rank(rank)
            .rowCount(rows == null ? 0 : rows.rowCount())
            .rowBytes(rows == null ? 0 : rows.rowBytes())
            .rowsChecksum(rows == null ? 0 : checksums[rank].of(rows.buffer(), rows.offset(), rowsLength))
            .rowForm(rows == null ? RowForm.NONE : inline ? RowForm.INLINE : RowForm.CHUNKED);
        final D2hCompleteEncoder.SampledEncoder sampled = message.sampledCount(sampledCount);
        for (int i = 0; i < sampledCount; i++)
        {
            sampled.next().tokenId(sampledTokens[i]);
        }
        if (!inline)
        {
            message.putRows(writer.buffer(), 0, 0);
            engine.offer(writer.buffer(), 0, writer.length(), rows);
            return;
        }
        message.putRows(rows.buffer(), rows.offset(), rowsLength);
        rows.release();
        engine.offer(writer.buffer(), 0, writer.length(), null);
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
        final InputWriter writer = writers[rank];
        writer.backendFault()
            .timeNanos(timeNanos).step(step).epoch(epoch).rank(rank).faultClass(faultClass).detail(detail);
        engine.offer(writer.buffer(), 0, writer.length(), null);
    }
}
