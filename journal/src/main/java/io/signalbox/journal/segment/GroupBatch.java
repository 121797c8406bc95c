// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import org.agrona.DirectBuffer;

import java.util.Arrays;

/**
 * Groups with their rows, one behind the other in one array, on their way from one thread to another. Grows to the longest
 * group and its rows; a batch that is emptied keeps its memory.
 */
public final class GroupBatch
{
    /** A batch with so many bytes is handed on: few enough for the cache, enough for a hand-over to cost nothing. */
    public static final int FULL_BYTES = 1 << 17;
    /** Numbers that the filling thread notes with each group. */
    static final int NOTES = 4;
    private static final int GROUP_LENGTH = 1;
    private static final int ROWS_LENGTH = 2;
    private static final int FIRST_NOTE = 3;
    private static final int FACTS = FIRST_NOTE + NOTES;
    private static final int LONGEST = Integer.MAX_VALUE - 64;
    private static final int NO_ROWS = -1;

    private byte[] bytes = new byte[2 * FULL_BYTES];
    private long[] facts = new long[FACTS * 1024];
    private int length;
    private int groups;
    private boolean isLast;
    private Throwable failure;

    void clear()
    {
        length = 0;
        groups = 0;
    }

    /** @param rows {@code null}: the group has none. */
    public void add(
        final DirectBuffer group,
        final int offset,
        final int groupLength,
        final DirectBuffer rows,
        final int rowsOffset,
        final int rowsLength)
    {
        final int at = length;
        grow((long)at + groupLength + rowsLength);
        group.getBytes(offset, bytes, at, groupLength);
        length += groupLength;
        if (rows != null)
        {
            rows.getBytes(rowsOffset, bytes, length, rowsLength);
            length += rowsLength;
        }
        final int fact = groups * FACTS;
        facts = fact + FACTS > facts.length ? Arrays.copyOf(facts, 2 * facts.length) : facts;
        facts[fact] = at;
        facts[fact + GROUP_LENGTH] = groupLength;
        facts[fact + ROWS_LENGTH] = rows == null ? NO_ROWS : rowsLength;
        groups++;
    }

    private void grow(final long needed)
    {
        if (needed > LONGEST)
        {
            throw new OutOfMemoryError("a group and its rows have " + needed + " bytes");
        }
        if (needed > bytes.length)
        {
            bytes = Arrays.copyOf(bytes, (int)Math.min(LONGEST, Math.max(needed, 2L * bytes.length)));
        }
    }

    /** Notes numbers with the group that was added last. */
    public void note(final long first, final long second, final long third, final long fourth)
    {
        final int fact = (groups - 1) * FACTS + FIRST_NOTE;
        facts[fact] = first;
        facts[fact + 1] = second;
        facts[fact + 2] = third;
        facts[fact + 3] = fourth;
    }

    public boolean isFull()
    {
        return length >= FULL_BYTES;
    }

    public int groups()
    {
        return groups;
    }

    /** Holds groups and rows. */
    public byte[] bytes()
    {
        return bytes;
    }

    public int groupStart(final int index)
    {
        return (int)facts[index * FACTS];
    }

    public int groupLength(final int index)
    {
        return (int)facts[index * FACTS + GROUP_LENGTH];
    }

    public boolean hasRows(final int index)
    {
        return facts[index * FACTS + ROWS_LENGTH] != NO_ROWS;
    }

    public int rowsStart(final int index)
    {
        return groupStart(index) + groupLength(index);
    }

    public int rowsLength(final int index)
    {
        return (int)facts[index * FACTS + ROWS_LENGTH];
    }

    public long note(final int index, final int number)
    {
        return facts[index * FACTS + FIRST_NOTE + number];
    }

    /** Nothing follows this batch. */
    public void end()
    {
        isLast = true;
    }

    /** Nothing follows this batch, because of this. */
    public void fail(final Throwable cause)
    {
        failure = cause;
        isLast = true;
    }

    public boolean isLast()
    {
        return isLast;
    }

    /** Throws the reason why nothing follows, if it is one. */
    public void rethrow()
    {
        if (failure instanceof RuntimeException exception)
        {
            throw exception;
        }
        if (failure instanceof Error error)
        {
            throw error;
        }
    }
}
