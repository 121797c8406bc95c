// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.InputWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.RowForm;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RowCheck;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** Encodes one report of a backend at a time. Not thread-safe; a {@link Pool} lends it to one thread at a time. */
final class ReportEncoding
{
    final InputWriter writer = new InputWriter();
    private final RowsChecksum checksum = new RowsChecksum();
    /** Null if capture is off. */
    private final RowCheck check;
    private CaptureSlice rowsBeside;

    ReportEncoding(final ModelShape capture)
    {
        check = capture == null ? null : new RowCheck(capture);
    }

    /** The rows as they may be journaled: a row that no expert router can have chosen is marked as missing, in a copy. */
    private CaptureSlice sound(final CaptureSlice rows)
    {
        final int count = check == null || rows == null ? 0 : rows.rowCount();
        int row = count == 0 ? 0 : check.firstUnsound(rows.buffer(), rows.offset(), 0, count);
        if (row == count)
        {
            return rows;
        }
        final MarkedRows copy = new MarkedRows(rows);
        while (row < count)
        {
            copy.mark(row);
            row = check.firstUnsound(rows.buffer(), rows.offset(), row + 1, count);
        }
        return copy;
    }

    void forward(final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        writer.forward().timeNanos(timeNanos).step(step).deviceTimeNanos(deviceTimeNanos).epoch(epoch).rank(rank);
    }

    /** Encodes a completion; its rows are within the message if they are few, else {@link #takeRowsBeside() beside} it. */
    void d2hComplete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final int[] sampledTokens,
        final int sampledCount,
        final CaptureSlice captured)
    {
        rowsBeside = null;
        final CaptureSlice rows = sound(captured);
        final int rowsLength = rows == null ? 0 : rows.rowCount() * rows.rowBytes();
        final boolean inline = rows != null && rowsLength <= InputWriter.MAX_INLINE_ROWS_BYTES;
        final D2hCompleteEncoder message = writer.d2hComplete()
            .timeNanos(timeNanos)
            .step(step)
            .epoch(epoch)
            .rank(rank)
            .rowCount(rows == null ? 0 : rows.rowCount())
            .rowBytes(rows == null ? 0 : rows.rowBytes())
            .rowsChecksum(rows == null ? 0 : checksum.of(rows.buffer(), rows.offset(), rowsLength))
            .rowForm(rows == null ? RowForm.NONE : inline ? RowForm.INLINE : RowForm.CHUNKED);
        final D2hCompleteEncoder.SampledEncoder sampled = message.sampledCount(sampledCount);
        for (int i = 0; i < sampledCount; i++)
        {
            sampled.next().tokenId(sampledTokens[i]);
        }
        if (inline)
        {
            message.putRows(rows.buffer(), rows.offset(), rowsLength);
        }
        else
        {
            message.putRows(writer.buffer(), 0, 0);
            rowsBeside = rows;
        }
    }

    /** The rows that go beside the last completion: its own slice, a copy with rows marked as missing, or null for none. */
    CaptureSlice takeRowsBeside()
    {
        final CaptureSlice taken = rowsBeside;
        rowsBeside = null;
        return taken;
    }

    void fault(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final FaultClass faultClass,
        final String detail)
    {
        writer.backendFault()
            .timeNanos(timeNanos).step(step).epoch(epoch).rank(rank).faultClass(faultClass).detail(detail);
    }

    /**
     * One encoding for each rank. Only threads that report for the same rank at the same time, which no backend with a
     * thread per rank does, make further ones.
     */
    static final class Pool
    {
        private final AtomicReferenceArray<ReportEncoding> atRest;
        private final ModelShape capture;

        Pool(final int ranks, final ModelShape capture)
        {
            this.capture = capture;
            atRest = new AtomicReferenceArray<>(ranks);
        }

        ReportEncoding take(final int rank)
        {
            final ReportEncoding taken = atRest.getAndSet(rank, null);
            return taken == null ? new ReportEncoding(capture) : taken;
        }

        /** @param encoding null if none was taken. */
        void giveBack(final int rank, final ReportEncoding encoding)
        {
            if (encoding != null)
            {
                atRest.setRelease(rank, encoding);
            }
        }
    }
}
