// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.kv.RequestBlockTable;

import java.util.Arrays;

/**
 * The requests that own KV blocks, in rows {@code [paused | active]}. A prompt that is computed in chunks is beside
 * the rows between two of its chunks: <em>hidden</em>, neither paused nor active, and counted nowhere.
 */
public final class RequestRowTable implements RequestBlockTable
{
    private final PagedRequest[] rows;
    private int paused;
    private int total;
    private PagedRequest chunked;
    private boolean hidden;

    RequestRowTable(final int maxRequests)
    {
        rows = new PagedRequest[maxRequests];
    }

    @Override
    public int pausedRequests()
    {
        return paused;
    }

    @Override
    public int totalRequests()
    {
        return total;
    }

    public int activeRows()
    {
        return total - paused;
    }

    /** The request of a row, paused ones first. */
    public PagedRequest request(final int row)
    {
        return rows[row];
    }

    @Override
    public int blockCount(final int row)
    {
        return rows[row].blockCount;
    }

    @Override
    public int blockId(final int row, final int index)
    {
        return rows[row].blockTable[index];
    }

    /** The request whose prompt is computed in chunks and not yet complete, or null. */
    public PagedRequest chunkedPrefill()
    {
        return chunked;
    }

    /** Whether {@link #chunkedPrefill()} has no row at present. */
    public boolean isChunkedPrefillHidden()
    {
        return hidden;
    }

    /** Whether the row's request computes a chunk after which part of its prompt is left. */
    boolean isPartial(final PagedRequest request)
    {
        return request == chunked;
    }

    /** The active request in {@code row} counted from the first active one. */
    PagedRequest active(final int row)
    {
        return rows[paused + row];
    }

    boolean isFull()
    {
        return total == rows.length;
    }

    void add(final PagedRequest request)
    {
        rows[total++] = request;
    }

    /** The next chunk of the hidden request was admitted, or its first one. */
    void beginChunk(final PagedRequest request, final boolean leavesPrompt)
    {
        chunked = leavesPrompt ? request : null;
        hidden = false;
    }

    /** Takes the request whose chunk was computed in this step off the rows. */
    void hideChunk()
    {
        if (chunked != null && !hidden)
        {
            swap(indexOf(chunked), total - 1);
            rows[--total] = null;
            hidden = true;
        }
    }

    private int indexOf(final PagedRequest request)
    {
        int row = paused;
        while (rows[row] != request)
        {
            row++;
        }
        return row;
    }

    void swap(final int left, final int right)
    {
        final PagedRequest request = rows[left];
        rows[left] = rows[right];
        rows[right] = request;
    }

    void pause(final int count)
    {
        paused += count;
    }

    /** The rightmost paused rows become active. */
    void resume(final int count)
    {
        paused -= count;
    }

    /** Drops the last rows; they must have been moved there. */
    void dropLast(final int count)
    {
        Arrays.fill(rows, total - count, total, null);
        total -= count;
    }
}
