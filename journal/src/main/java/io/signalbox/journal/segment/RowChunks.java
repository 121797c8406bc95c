// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.RecordWriter;
import org.agrona.DirectBuffer;

/** Cuts the rows of one step into CaptureRows messages of at most 64 KiB of rows, or one row if a row is longer. */
public final class RowChunks
{
    static final int MAX_ROWS_BYTES = 64 * 1024;

    private final RecordWriter record = new RecordWriter();
    private CaptureSlice rows;
    private long step;
    private int epoch;
    private int rank;
    private int nextRow;
    private int rowCount;

    /** Bytes of the longest record that a group and its rows make. */
    public static int largestRecord(final int groupLength, final CaptureSlice rows)
    {
        final int chunk = rows == null ? 0 : RecordWriter.BEFORE_ROWS_BYTES + Math.max(MAX_ROWS_BYTES, rows.rowBytes());
        return Envelope.LENGTH + Math.max(groupLength, chunk);
    }

    public void begin(final CaptureSlice slice, final long stepNumber, final int backendEpoch, final int dpRank)
    {
        rows = slice;
        step = stepNumber;
        epoch = backendEpoch;
        rank = dpRank;
        nextRow = 0;
    }

    /** Encodes the next chunk; false after the last. */
    public boolean next()
    {
        if (nextRow == rows.rowCount())
        {
            rows = null;
            return false;
        }
        final int rowBytes = rows.rowBytes();
        rowCount = Math.min(rows.rowCount() - nextRow, Math.max(1, MAX_ROWS_BYTES / rowBytes));
        record.captureRows(step, epoch, rank, nextRow, rowCount, rows.buffer(), rows.offset() + nextRow * rowBytes,
            rowCount * rowBytes);
        nextRow += rowCount;
        return true;
    }

    public DirectBuffer buffer()
    {
        return record.buffer();
    }

    public int length()
    {
        return record.length();
    }
}
