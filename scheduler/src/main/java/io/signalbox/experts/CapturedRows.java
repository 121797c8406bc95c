// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.DirectBuffer;

/**
 * The routed-expert rows that a store reads: {@code rowCount} rows as {@code [row][MoE layer][k]} expert ids of one
 * type. A view over a buffer of the caller, to be wrapped again for the next step; nothing is kept after a store.
 */
public final class CapturedRows
{
    private DirectBuffer buffer;
    private int offset;
    private int rowCount;
    private ExpertIdType type;

    public CapturedRows wrap(final DirectBuffer source, final int start, final int rows, final ExpertIdType idType)
    {
        buffer = source;
        offset = start;
        rowCount = rows;
        type = idType;
        return this;
    }

    public DirectBuffer buffer()
    {
        return buffer;
    }

    /** Where the first row begins in the buffer, in bytes. */
    public int offset()
    {
        return offset;
    }

    public int rowCount()
    {
        return rowCount;
    }

    public ExpertIdType type()
    {
        return type;
    }
}
