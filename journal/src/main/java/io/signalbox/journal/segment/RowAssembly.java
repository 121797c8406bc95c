// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.event.CompletionView;
import io.signalbox.event.codec.CaptureRowsDecoder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Joins the chunks of one step's rows. Its buffer grows with the bytes that were read, up to the largest step. */
public final class RowAssembly
{
    private static final int LARGEST_BYTES = Integer.MAX_VALUE - 64;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[0]);
    private byte[] bytes = new byte[0];
    private int length;
    private int rowCount;
    private int chunks;
    private long step;
    private int epoch;
    private int rank;

    public void reset()
    {
        length = 0;
        rowCount = 0;
        chunks = 0;
    }

    /** Returns false if the chunk is not the next one of the same step. */
    public boolean add(final CaptureRowsDecoder chunk)
    {
        if (chunks == 0)
        {
            step = chunk.step();
            epoch = chunk.epoch();
            rank = chunk.rank();
        }
        final int count = chunk.rowCount();
        if (chunk.step() != step || chunk.epoch() != epoch || chunk.rank() != rank ||
            chunk.firstRow() != rowCount || count < 0 || count > Integer.MAX_VALUE - rowCount)
        {
            return false;
        }
        final int available = chunk.buffer().capacity() - chunk.limit() - CaptureRowsDecoder.rowsHeaderLength();
        final int size = available < 0 ? -1 : chunk.rowsLength();
        if (size < 0 || size > available || size > LARGEST_BYTES - length)
        {
            return false;
        }
        grow(length + size);
        chunk.getRows(bytes, length, size);
        length += size;
        rowCount += count;
        chunks++;
        return true;
    }

    private void grow(final int needed)
    {
        if (needed > bytes.length)
        {
            final byte[] larger = new byte[(int)Math.min(LARGEST_BYTES, Math.max(needed, 2L * bytes.length))];
            System.arraycopy(bytes, 0, larger, 0, length);
            bytes = larger;
        }
    }

    /** Whether these are all the rows that the completion refers to. */
    boolean fits(final CompletionView completion)
    {
        return chunks == 0 ? completion.rowCount() == 0
            : completion.step() == step && completion.epoch() == epoch && completion.rank() == rank &&
            completion.rowCount() == rowCount && (long)rowCount * completion.rowBytes() == length;
    }

    public boolean isEmpty()
    {
        return chunks == 0;
    }

    public DirectBuffer buffer()
    {
        buffer.wrap(bytes, 0, length);
        return buffer;
    }

    public int length()
    {
        return length;
    }
}
