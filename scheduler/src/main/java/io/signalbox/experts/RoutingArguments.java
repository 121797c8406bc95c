// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.MutableDirectBuffer;

/** Checks the arguments of {@link BlockPages}, before anything is stored or read. */
final class RoutingArguments
{
    private final ModelShape shape;
    private final int pageRows;
    private final int blockCount;

    RoutingArguments(final ModelShape shape, final int pageRows, final int blockCount)
    {
        this.shape = shape;
        this.pageRows = pageRows;
        this.blockCount = blockCount;
    }

    void checkLists(final int blockIds, final int positions, final int count)
    {
        if (count < 0 || blockIds < count || positions < count)
        {
            throw new RoutedExpertsException(count + " rows are to be stored for lists of " + blockIds + " block ids and " +
                positions + " positions; give one block id and one position for each row.");
        }
    }

    void checkRows(final CapturedRows rows, final int count)
    {
        if (shape.combineWeights())
        {
            throw new RoutedExpertsException("rows of ids alone came for pages whose rows have combine weights; use a " +
                "model shape without combine weights.");
        }
        if (rows.rowCount() != count)
        {
            throw new RoutedExpertsException(rows.rowCount() + " rows of routed experts came for " + count +
                " tokens; give one row for each token.");
        }
        checkType(rows.type());
        final long needed = (long)count * shape.rowIds() * rows.type().bytes();
        final int capacity = rows.buffer().capacity();
        if (rows.offset() < 0 || capacity - (long)rows.offset() < needed)
        {
            throw tooShort(count, rows.type(), needed, capacity, rows.offset());
        }
    }

    void checkType(final ExpertIdType type)
    {
        if (shape.experts() > type.maxExperts())
        {
            throw new RoutedExpertsException(type + " cannot name " + shape.experts() + " experts; use " +
                ExpertIdType.compact(shape) + " or a wider type.");
        }
    }

    void checkPlace(final int blockId, final int position)
    {
        checkBlock(blockId);
        if (position < 0 || position >= pageRows)
        {
            throw new RoutedExpertsException(
                "position " + position + " is not in block " + blockId + " of " + pageRows + " tokens.");
        }
    }

    void checkBlock(final int blockId)
    {
        if (blockId < 0 || blockId >= blockCount)
        {
            throw new RoutedExpertsException(
                "block " + blockId + " is unknown; the pool has blocks 0 to " + (blockCount - 1) + ".");
        }
    }

    void checkRead(final int[] blockIds, final int count, final int total, final ExpertIdType type)
    {
        if (count < 0 || count > blockIds.length || total < 0)
        {
            throw new RoutedExpertsException(total + " rows are to be read from the first " + count + " of a list of " +
                blockIds.length + " block ids; neither may be negative, and the list has to be as long.");
        }
        for (int i = 0; i < count; i++)
        {
            checkBlock(blockIds[i]);
        }
        checkType(type);
    }

    void checkDestination(
        final int rows, final ExpertIdType type, final MutableDirectBuffer destination, final int offset)
    {
        final long needed = (long)rows * shape.rowIds() * type.bytes();
        final boolean fits = destination.isExpandable() ?
            offset + needed <= Integer.MAX_VALUE - Long.BYTES : destination.capacity() - (long)offset >= needed;
        if (offset < 0 || !fits)
        {
            throw tooShort(rows, type, needed, destination.capacity(), offset);
        }
    }

    private RoutedExpertsException tooShort(
        final int rows, final ExpertIdType type, final long needed, final int capacity, final int offset)
    {
        return new RoutedExpertsException(rows + " rows of " + shape.moeLayers() + " x " + shape.topK() + " ids as " + type +
            " take " + needed + " bytes, but the buffer of " + capacity + " bytes has fewer from offset " + offset + ".");
    }

    static void checkSayable(final int missingRows, final ExpertIdType type)
    {
        if (missingRows > 0 && !type.isSigned())
        {
            throw new RoutedExpertsException(missingRows + " rows are missing, and " + type +
                " cannot say so; use a signed type, which has -1 for them.");
        }
    }
}
