// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.kv.KvBlockListener;
import org.agrona.MutableDirectBuffer;

import java.util.Arrays;

/**
 * Routed experts per KV block of one rank: which page each block holds, and the four operations on it, after Megatron
 * Core's {@code KVBlockAllocator}. Release, deregistration and eviction leave the page with its block; handing the block
 * out again and {@link #onReset} detach it, and the rows live on for the requests that refer to the page.
 *
 * <p>A block <em>has routing</em> when at least one of its rows is there. What stores do to rows that are there, and
 * what missing rows of such a block read as, is the {@link RowPolicy} of the pages.
 *
 * <p>Every id, length and shape is checked before anything changes; what is wrong ends in a
 * {@link RoutedExpertsException}. Nothing is allocated once the pages and the largest step have been seen.
 */
public final class BlockPages implements KvBlockListener
{
    private static final int INCOMPLETE = -1;

    private final RoutedExpertPages pages;
    private final RowIntake intake;
    private final int[] pageOfBlock;
    private final int rowBytes;

    /** @param blockCount blocks of the rank's pool; the last one is the dummy block that padding tokens point at. */
    public BlockPages(final RoutedExpertPages pages, final int blockCount)
    {
        if (blockCount < 1)
        {
            throw new ConfigException("blockCount=" + blockCount + " leaves no dummy block; give at least 1.");
        }
        this.pages = pages;
        rowBytes = pages.shape().rowBytes();
        intake = new RowIntake(pages.shape(), pages.policy());
        pageOfBlock = new int[blockCount];
        Arrays.fill(pageOfBlock, RoutedExpertPages.NO_PAGE);
    }

    public int page(final int blockId)
    {
        return pageOfBlock[blockId];
    }

    public boolean hasRouting(final int blockId)
    {
        final int page = pageOfBlock[blockId];
        return page != RoutedExpertPages.NO_PAGE && !pages.isEmpty(page);
    }

    /** Blocks that have routing, counted over the whole pool: for reports and tests. */
    public int routingCount()
    {
        int count = 0;
        for (int blockId = 0; blockId < pageOfBlock.length; blockId++)
        {
            count += hasRouting(blockId) ? 1 : 0;
        }
        return count;
    }

    /** Gives the block a page in place of the one of its former use; the block adds its own reference. */
    public void replace(final int blockId, final int page)
    {
        final int former = pageOfBlock[blockId];
        pages.retain(page);
        pageOfBlock[blockId] = page;
        if (former != RoutedExpertPages.NO_PAGE)
        {
            pages.release(former);
        }
    }

    /** The blocks have new owners: their routing belongs to the former ones and is detached. */
    @Override
    public void onHandedOut(final int[] blockIds, final int offset, final int count)
    {
        for (int i = offset; i < offset + count; i++)
        {
            detach(blockIds[i]);
        }
    }

    /** No block has routing any more. */
    @Override
    public void onReset()
    {
        for (int blockId = 0; blockId < pageOfBlock.length; blockId++)
        {
            detach(blockId);
        }
    }

    private void detach(final int blockId)
    {
        final int page = pageOfBlock[blockId];
        if (page != RoutedExpertPages.NO_PAGE)
        {
            pageOfBlock[blockId] = RoutedExpertPages.NO_PAGE;
            pages.release(page);
        }
    }

    /**
     * Stores the rows of one step: row {@code i} belongs to position {@code positions[i]} of block {@code blockIds[i]}.
     * Tokens of the dummy block are dropped unseen. A (block, position) that is named twice counts as two stores in order.
     *
     * @param tokens the active tokens of the step, the length of both lists; 0 stores nothing.
     * @param rows   one row per token, or null for nothing.
     * @return rows that were stored; under {@link RowPolicy#CONTRACT} the others were there before.
     */
    public int storeRoutingPerBlock(
        final int[] blockIds, final int[] positions, final int tokens, final CapturedRows rows)
    {
        if (rows == null || tokens == 0)
        {
            return 0;
        }
        checkLists(blockIds.length, positions.length, tokens);
        checkRows(rows, tokens);
        for (int i = 0; i < tokens; i++)
        {
            if (blockIds[i] != dummyBlock())
            {
                checkPlace(blockIds[i], positions[i]);
            }
        }
        takeIn(blockIds, positions, tokens, rows);
        int stored = 0;
        for (int i = 0, taken = 0; i < tokens; i++)
        {
            if (blockIds[i] != dummyBlock())
            {
                stored += store(blockIds[i], positions[i], taken++) ? 1 : 0;
            }
        }
        return stored;
    }

    /** Takes in the rows of all tokens but those of the dummy block. */
    private void takeIn(final int[] blockIds, final int[] positions, final int tokens, final CapturedRows rows)
    {
        intake.begin(rows, tokens);
        for (int from = 0, to; from < tokens; from = to + 1)
        {
            to = from;
            while (to < tokens && blockIds[to] != dummyBlock())
            {
                to++;
            }
            if (!intake.take(from, to - from))
            {
                for (int i = from; i < to; i++)
                {
                    refuseFaulty(i, blockIds[i], positions[i]);
                }
                throw refusedWithoutFault(to - from);
            }
        }
    }

    private static InvariantViolation refusedWithoutFault(final int rows)
    {
        return new InvariantViolation(rows + " rows of routed experts were refused, but none of them is at fault");
    }

    private void refuseFaulty(final int row, final int blockId, final int position)
    {
        final RoutedExpertsException fault = intake.fault(row, blockId, position);
        if (fault != null)
        {
            throw fault;
        }
    }

    /**
     * Stores rows of one block: row {@code i} belongs to {@code positions[i]}. A position that is named twice counts as
     * two stores in order.
     *
     * @param count the length of the list; 0 stores nothing.
     * @param rows  one row per position, or null for nothing.
     * @return rows that were stored; under {@link RowPolicy#CONTRACT} the others were there before.
     */
    public int storeBlockRouting(final int blockId, final int[] positions, final int count, final CapturedRows rows)
    {
        checkBlock(blockId);
        if (rows == null || count == 0)
        {
            return 0;
        }
        checkLists(count, positions.length, count);
        checkRows(rows, count);
        for (int i = 0; i < count; i++)
        {
            checkPlace(blockId, positions[i]);
        }
        intake.begin(rows, count);
        if (!intake.take(0, count))
        {
            for (int i = 0; i < count; i++)
            {
                refuseFaulty(i, blockId, positions[i]);
            }
            throw refusedWithoutFault(count);
        }
        int stored = 0;
        for (int i = 0; i < count; i++)
        {
            stored += store(blockId, positions[i], i) ? 1 : 0;
        }
        return stored;
    }

    private boolean store(final int blockId, final int position, final int taken)
    {
        int page = pageOfBlock[blockId];
        if (page == RoutedExpertPages.NO_PAGE)
        {
            page = pages.allocate();
            pageOfBlock[blockId] = page;
        }
        return pages.store(page, position, intake.rows(), taken * rowBytes);
    }

    /**
     * Reads the rows of one block as {@code [block size][MoE layer][k]}.
     *
     * @return false, with nothing read, where the block has no routing.
     */
    public boolean getBlockRouting(
        final int blockId, final ExpertIdType type, final MutableDirectBuffer destination, final int offset)
    {
        checkBlock(blockId);
        checkType(type);
        if (!hasRouting(blockId))
        {
            return false;
        }
        checkDestination(pages.pageRows(), type, destination, offset);
        final int page = pageOfBlock[blockId];
        if (pages.policy() == RowPolicy.CONTRACT)
        {
            checkSayable(pages.pageRows() - pages.validRows(page, 0, pages.pageRows()), type);
        }
        pages.read(page, 0, pages.pageRows(), type, missingAs(), destination, offset);
        return true;
    }

    /**
     * Reads the first {@code total} rows of the blocks, in the order of the list, as {@code [row][MoE layer][k]}. Strict:
     * false, with nothing read, exactly where the reference returns nothing. It walks the list; a block without routing
     * ends the walk with nothing even when no row of it is needed, because the block is looked up first; then the walk
     * stops when it has {@code total} rows. No row at all is nothing, too.
     *
     * @param count the length of the list.
     */
    public boolean reconstructRoutingFromBlocks(
        final int[] blockIds,
        final int count,
        final int total,
        final ExpertIdType type,
        final MutableDirectBuffer destination,
        final int offset)
    {
        checkRead(blockIds, count, total, type);
        final int missing = missingIfComplete(blockIds, count, total);
        if (missing == INCOMPLETE)
        {
            return false;
        }
        checkDestination(total, type, destination, offset);
        if (pages.policy() == RowPolicy.CONTRACT)
        {
            checkSayable(missing, type);
        }
        read(blockIds, count, total, type, missingAs(), destination, offset);
        return true;
    }

    /**
     * Reads the first {@code total} rows of the blocks, in the order of the list, as {@code [row][MoE layer][k]}. Lenient:
     * a row that is missing, of a block without routing or behind the end of the list reads as -1 under either policy.
     *
     * @param count the length of the list.
     * @param type  an unsigned type cannot say -1 and is refused when a row is missing.
     * @return rows that are missing.
     */
    public int exportRoutingFromBlocks(
        final int[] blockIds,
        final int count,
        final int total,
        final ExpertIdType type,
        final MutableDirectBuffer destination,
        final int offset)
    {
        checkRead(blockIds, count, total, type);
        checkDestination(total, type, destination, offset);
        if (!type.isSigned())
        {
            checkSayable(missingRows(blockIds, count, total), type);
        }
        return read(blockIds, count, total, type, RoutedExpertPages.MISSING, destination, offset);
    }

    /** Rows that are missing in blocks that have routing, or {@link #INCOMPLETE} where the reference returns nothing. */
    private int missingIfComplete(final int[] blockIds, final int count, final int total)
    {
        int collected = 0;
        int missing = 0;
        for (int i = 0; i < count; i++)
        {
            if (!hasRouting(blockIds[i]))
            {
                return INCOMPLETE;
            }
            if (collected == total)
            {
                break;
            }
            final int rows = Math.min(pages.pageRows(), total - collected);
            missing += rows - pages.validRows(pageOfBlock[blockIds[i]], 0, rows);
            collected += rows;
        }
        return collected > 0 && collected == total ? missing : INCOMPLETE;
    }

    private int missingRows(final int[] blockIds, final int count, final int total)
    {
        int missing = total;
        int collected = 0;
        for (int i = 0; i < count && collected < total; i++)
        {
            final int rows = Math.min(pages.pageRows(), total - collected);
            final int page = pageOfBlock[blockIds[i]];
            missing -= page == RoutedExpertPages.NO_PAGE ? 0 : pages.validRows(page, 0, rows);
            collected += rows;
        }
        return missing;
    }

    private int read(
        final int[] blockIds,
        final int count,
        final int total,
        final ExpertIdType type,
        final int missing,
        final MutableDirectBuffer destination,
        final int offset)
    {
        final int readBytes = pages.shape().rowIds() * type.bytes();
        int missingRows = 0;
        int collected = 0;
        for (int i = 0; i < count && collected < total; i++)
        {
            final int rows = Math.min(pages.pageRows(), total - collected);
            final int page = pageOfBlock[blockIds[i]];
            final int at = offset + collected * readBytes;
            if (page != RoutedExpertPages.NO_PAGE)
            {
                missingRows += pages.read(page, 0, rows, type, missing, destination, at);
            }
            else
            {
                destination.setMemory(at, rows * readBytes, (byte)missing);
                missingRows += rows;
            }
            collected += rows;
        }
        final int behindTheList = total - collected;
        if (behindTheList > 0)
        {
            destination.setMemory(offset + collected * readBytes, behindTheList * readBytes, (byte)missing);
        }
        return missingRows + behindTheList;
    }

    private int missingAs()
    {
        return pages.policy() == RowPolicy.CONTRACT ? RoutedExpertPages.MISSING : 0;
    }

    private int dummyBlock()
    {
        return pageOfBlock.length - 1;
    }

    private static void checkLists(final int blockIds, final int positions, final int count)
    {
        if (count < 0 || blockIds < count || positions < count)
        {
            throw new RoutedExpertsException(count + " rows are to be stored for lists of " + blockIds + " block ids and " +
                positions + " positions; give one block id and one position for each row.");
        }
    }

    private void checkRows(final CapturedRows rows, final int count)
    {
        if (rows.rowCount() != count)
        {
            throw new RoutedExpertsException(rows.rowCount() + " rows of routed experts came for " + count +
                " tokens; give one row for each token.");
        }
        checkType(rows.type());
        final long needed = (long)count * pages.shape().rowIds() * rows.type().bytes();
        final int capacity = rows.buffer().capacity();
        if (rows.offset() < 0 || capacity - (long)rows.offset() < needed)
        {
            throw tooShort(count, rows.type(), needed, capacity, rows.offset());
        }
    }

    private void checkType(final ExpertIdType type)
    {
        if (pages.shape().experts() > type.maxExperts())
        {
            throw new RoutedExpertsException(type + " cannot name " + pages.shape().experts() + " experts; use " +
                ExpertIdType.compact(pages.shape()) + " or a wider type.");
        }
    }

    private void checkPlace(final int blockId, final int position)
    {
        checkBlock(blockId);
        if (position < 0 || position >= pages.pageRows())
        {
            throw new RoutedExpertsException("position " + position + " is not in block " + blockId + " of " +
                pages.pageRows() + " tokens.");
        }
    }

    private void checkBlock(final int blockId)
    {
        if (blockId < 0 || blockId >= pageOfBlock.length)
        {
            throw new RoutedExpertsException(
                "block " + blockId + " is unknown; the pool has blocks 0 to " + dummyBlock() + ".");
        }
    }

    private void checkRead(final int[] blockIds, final int count, final int total, final ExpertIdType type)
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

    private void checkDestination(
        final int rows, final ExpertIdType type, final MutableDirectBuffer destination, final int offset)
    {
        final long needed = (long)rows * pages.shape().rowIds() * type.bytes();
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
        return new RoutedExpertsException(rows + " rows of " + pages.shape().moeLayers() + " x " + pages.shape().topK() +
            " ids as " + type + " take " + needed + " bytes, but the buffer of " + capacity +
            " bytes has fewer from offset " + offset + ".");
    }

    private void checkSayable(final int missingRows, final ExpertIdType type)
    {
        if (missingRows > 0 && !type.isSigned())
        {
            throw new RoutedExpertsException(missingRows + " rows are missing, and " + type +
                " cannot say so; use a signed type, which has -1 for them.");
        }
    }
}
