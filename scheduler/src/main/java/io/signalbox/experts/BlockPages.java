// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.kv.KvBlockListener;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.util.Arrays;

/**
 * Routed experts per KV block of one rank: which page each block holds, and the four operations on it, after Megatron
 * Core's {@code KVBlockAllocator}. Release, deregistration and eviction leave the page with its block. Handing the block
 * out again and {@link #onReset} detach it, and the rows live on for the requests that refer to the page.
 *
 * <p>A block <em>has routing</em> if it has at least one row. The first write of a row wins; a missing row reads as -1.
 * Every row reaches its page through {@link #store}, whether a step of the engine commits it or {@link
 * #storeRoutingPerBlock} scatters it.
 *
 * <p>Every id, length and shape is checked before anything changes; a wrong one is a {@link RoutedExpertsException}.
 * Nothing is allocated once the pages and the largest step have been seen.
 */
public final class BlockPages implements KvBlockListener
{
    private static final int NO_BLOCK = -1;
    /** Blocks of a list lack routing or rows. */
    private static final int INCOMPLETE = -1;

    private final RoutedExpertPages pages;
    private final RoutingArguments arguments;
    private final RowIntake intake;
    private final RowReader reader;
    private final int[] pageOfBlock;
    private final int rowBytes;
    private int rowsAlreadyThere;
    private int[] sameBlock = new int[0];
    private int[] listedPages = new int[16];

    /** @param blockCount blocks of the rank's pool; the last one is the dummy block that padding tokens point at. */
    public BlockPages(final RoutedExpertPages pages, final int blockCount)
    {
        if (blockCount < 1)
        {
            throw ConfigException.of("blockCount", Integer.toString(blockCount), "1 or more",
                "give at least 1, the dummy block");
        }
        this.pages = pages;
        rowBytes = pages.shape().rowBytes();
        arguments = new RoutingArguments(pages.shape(), pages.pageRows(), blockCount);
        intake = new RowIntake(pages.shape());
        reader = new RowReader(pages);
        pageOfBlock = new int[blockCount];
        Arrays.fill(pageOfBlock, RoutedExpertPages.NO_PAGE);
    }

    int page(final int blockId)
    {
        return pageOfBlock[blockId];
    }

    public boolean hasRouting(final int blockId)
    {
        final int page = pageOfBlock[blockId];
        return page != RoutedExpertPages.NO_PAGE && !pages.isEmpty(page);
    }

    /** Gives the block a page in place of the one of its former use; the block adds its own reference. */
    void replace(final int blockId, final int page)
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
     * Stores rows for consecutive positions of one block. Rows that are {@linkplain RowCheck#isMarked marked} as missing
     * are left out, rows that the block already has stay as they are.
     *
     * @param source rows in storage width that a {@link RowCheck} found sound or that are marked.
     * @return rows that were stored.
     */
    public int store(
        final int blockId, final int firstPosition, final int rows, final DirectBuffer source, final int offset)
    {
        final byte[] array = source.byteArray();
        if (rows != 1 || array == null)
        {
            return storeRows(pageToFill(blockId), firstPosition, rows, source, offset);
        }
        source.boundsCheck(offset, rowBytes);
        return storeRow(blockId, firstPosition, array, source.wrapAdjustment() + offset) ? 1 : 0;
    }

    /**
     * Stores one row in the same way, as most entries of a decode step have it.
     *
     * @param source array of which all bytes of the row are rows of the step.
     * @return whether it was stored.
     */
    public boolean storeRow(final int blockId, final int position, final byte[] source, final int start)
    {
        final int page = pageToFill(blockId);
        final boolean marked = RowCheck.isMarked(pages.shape(), source, start);
        final boolean stored = !marked && pages.storeRow(page, position, source, start);
        rowsAlreadyThere = marked || stored ? 0 : 1;
        return stored;
    }

    private int pageToFill(final int blockId)
    {
        final int page = pageOfBlock[blockId];
        return page == RoutedExpertPages.NO_PAGE ? pageOfBlock[blockId] = pages.allocate() : page;
    }

    private int storeRows(
        final int page, final int firstPosition, final int rows, final DirectBuffer source, final int offset)
    {
        int stored = 0;
        int marked = 0;
        for (int from = 0, to; from < rows; from = to + 1)
        {
            to = RowCheck.firstMarked(pages.shape(), source, offset, from, rows);
            marked += to < rows ? 1 : 0;
            stored += to == from ? 0 :
                pages.store(page, firstPosition + from, to - from, source, offset + from * rowBytes);
        }
        rowsAlreadyThere = rows - marked - stored;
        return stored;
    }

    /** Rows of consecutive positions of the block that are there. */
    public int validRows(final int blockId, final int firstPosition, final int rows)
    {
        final int page = pageOfBlock[blockId];
        return page == RoutedExpertPages.NO_PAGE ? 0 : pages.validRows(page, firstPosition, rows);
    }

    /** Rows of the last {@link #store} that were not marked as missing and not stored. */
    public int rowsAlreadyThere()
    {
        return rowsAlreadyThere;
    }

    /**
     * Stores the rows of one step: row {@code i} belongs to position {@code positions[i]} of block {@code blockIds[i]}.
     * Tokens of the dummy block are dropped unseen. A (block, position) that is named twice counts as two stores in order.
     *
     * @param tokens the active tokens of the step, the length of both lists; 0 stores nothing.
     * @param rows   one row per token, or null for nothing.
     * @return rows that were stored; the others were there before.
     */
    public int storeRoutingPerBlock(
        final int[] blockIds, final int[] positions, final int tokens, final CapturedRows rows)
    {
        return rows == null || tokens == 0 ? 0 : scatter(blockIds, positions, tokens, rows, dummyBlock());
    }

    /**
     * Stores rows of one block: row {@code i} belongs to {@code positions[i]}. A position that is named twice counts as
     * two stores in order.
     *
     * @param count the length of the list; 0 stores nothing.
     * @param rows  one row per position, or null for nothing.
     * @return rows that were stored; the others were there before.
     */
    public int storeBlockRouting(final int blockId, final int[] positions, final int count, final CapturedRows rows)
    {
        arguments.checkBlock(blockId);
        if (rows == null || count == 0)
        {
            return 0;
        }
        sameBlock = count > sameBlock.length ? new int[count] : sameBlock;
        Arrays.fill(sameBlock, 0, Math.max(count, 0), blockId);
        return scatter(sameBlock, positions, count, rows, NO_BLOCK);
    }

    /** @param dropped block whose tokens are left out. */
    private int scatter(
        final int[] blockIds, final int[] positions, final int tokens, final CapturedRows rows, final int dropped)
    {
        arguments.checkLists(blockIds.length, positions.length, tokens);
        arguments.checkRows(rows, tokens);
        for (int i = 0; i < tokens; i++)
        {
            if (blockIds[i] != dropped)
            {
                arguments.checkPlace(blockIds[i], positions[i]);
            }
        }
        takeIn(blockIds, positions, tokens, rows, dropped);
        int stored = 0;
        for (int from = 0, to; from < tokens; from = to)
        {
            to = from + 1;
            while (to < tokens && blockIds[to] == blockIds[from] && positions[to] == positions[to - 1] + 1)
            {
                to++;
            }
            stored += blockIds[from] == dropped ? 0 :
                store(blockIds[from], positions[from], to - from, intake.rows(), intake.offset(from));
        }
        return stored;
    }

    private void takeIn(
        final int[] blockIds, final int[] positions, final int tokens, final CapturedRows rows, final int dropped)
    {
        intake.begin(rows);
        for (int from = 0, to; from < tokens; from = to + 1)
        {
            to = from;
            while (to < tokens && blockIds[to] != dropped)
            {
                to++;
            }
            if (!intake.take(from, to - from))
            {
                throw fault(blockIds, positions, from, to);
            }
        }
    }

    private RuntimeException fault(final int[] blockIds, final int[] positions, final int from, final int to)
    {
        for (int i = from; i < to; i++)
        {
            final RoutedExpertsException fault = intake.fault(i, blockIds[i], positions[i]);
            if (fault != null)
            {
                return fault;
            }
        }
        throw new InvariantViolation(
            (to - from) + " rows of routed experts were refused, but none of them is at fault");
    }

    /**
     * Reads the rows of one block as {@code [block size][MoE layer][k]}.
     *
     * @return false, with nothing read, if the block has no routing.
     */
    public boolean getBlockRouting(
        final int blockId, final ExpertIdType type, final MutableDirectBuffer destination, final int offset)
    {
        arguments.checkBlock(blockId);
        arguments.checkType(type);
        if (hasRouting(blockId))
        {
            final int page = pageOfBlock[blockId];
            listedPages[0] = page;
            final int rows = pages.pageRows();
            read(rows, rows - pages.validRows(page, 0, rows), type, destination, offset);
            return true;
        }
        return false;
    }

    /**
     * Reads the first {@code total} rows of the blocks, in the order of the list, as {@code [row][MoE layer][k]}. As in the
     * original, the walk over the list looks a block up before it notices that it has enough rows, so that a block without
     * routing ends it even if no row of it is needed.
     *
     * @param count the length of the list.
     * @param type  an unsigned type has no -1 and is refused if a row is missing.
     * @return false, with nothing read, if a block has no routing, or the list has no row or fewer than {@code total}.
     */
    public boolean reconstructRoutingFromBlocks(
        final int[] blockIds,
        final int count,
        final int total,
        final ExpertIdType type,
        final MutableDirectBuffer destination,
        final int offset)
    {
        arguments.checkRead(blockIds, count, total, type);
        final int missing = listPages(blockIds, count, total);
        if (missing == INCOMPLETE)
        {
            return false;
        }
        read(total, missing, type, destination, offset);
        return true;
    }

    /**
     * Lists the pages from which the original's walk over the blocks collects {@code total} rows.
     *
     * @return rows that are missing among them; {@link #INCOMPLETE} if the walk does not collect as many.
     */
    private int listPages(final int[] blockIds, final int count, final int total)
    {
        listedPages = count > listedPages.length ? new int[2 * count] : listedPages;
        int collected = 0;
        int missing = 0;
        for (int i = 0; i < count; i++)
        {
            final int page = pageOfBlock[blockIds[i]];
            if (page == RoutedExpertPages.NO_PAGE || pages.isEmpty(page))
            {
                return INCOMPLETE;
            }
            if (collected == total)
            {
                break;
            }
            final int rows = Math.min(pages.pageRows(), total - collected);
            missing += rows - pages.validRows(page, 0, rows);
            listedPages[i] = page;
            collected += rows;
        }
        return collected > 0 && collected == total ? missing : INCOMPLETE;
    }

    /** Reads from the listed pages; a refused read leaves the destination as it was. */
    private void read(
        final int total, final int missing, final ExpertIdType type, final MutableDirectBuffer destination, final int offset)
    {
        arguments.checkDestination(total, type, destination, offset);
        if (!type.isSigned())
        {
            RoutingArguments.checkSayable(missing, type);
        }
        reader.read(listedPages, 0, total, type, destination, offset);
    }

    /** Saves which page each block has, or restores that in an object in which none has one. */
    public void save(final SavedPages saved)
    {
        for (int block = 0; block < pageOfBlock.length; block++)
        {
            pageOfBlock[block] = saved.page(pageOfBlock[block]);
        }
    }

    private int dummyBlock()
    {
        return pageOfBlock.length - 1;
    }
}
