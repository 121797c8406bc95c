// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.saved.SavedFields;
import io.signalbox.saved.UnfitImageException;

import java.util.Arrays;

/**
 * The routed-expert rows of one request. It has its own references to pages, so its rows stay when its blocks are
 * released. Position {@code p} is row {@code p % pageRows} of page {@code p / pageRows}.
 *
 * <p>Rows of a page that came with a prefix match are <em>inherited</em>; all others were <em>captured</em> in this
 * request. A request keeps its pages when it is preempted: rows that were paired with its tokens stay, and blocks that are
 * handed out to it again get those pages.
 */
public final class RequestRows
{
    private static final int CONFIRMED = Integer.MAX_VALUE;

    private final RoutedExpertPages pages;
    private int[] pageIds = new int[8];
    private boolean[] inherited = new boolean[8];
    private int[] generations = new int[8];
    private int pageCount;
    /** Pages from this one on came with a prefix match whose blocks are still being computed, or behind them. */
    private int unconfirmed = CONFIRMED;
    /** Rows at and above it do not count. */
    private int end = Integer.MAX_VALUE;

    public RequestRows(final RoutedExpertPages pages)
    {
        this.pages = pages;
    }

    public int pageCount()
    {
        return pageCount;
    }

    int page(final int index)
    {
        return pageIds[index];
    }

    /**
     * The request got an unshared block as entry {@code index} of its table. After a preemption within one cache
     * generation the block gets the page that the request has for that entry. A complete page of an older generation stays
     * with the request and may be shared, even if rows of it are missing: the block gets a new page. (An incomplete page
     * belongs to a block without a hash, which is never shared.)
     *
     * @param generation   cache generation of the admission under which the block is computed.
     * @param computedRows rows of the request that were computed at any time, stored or not.
     */
    public void allocated(
        final int index,
        final int blockId,
        final BlockPages blockPages,
        final int generation,
        final int computedRows)
    {
        checkEntry(index);
        if (index == pageCount)
        {
            append(pages.allocate(), false, generation);
        }
        else if (generations[index] != generation && (index + 1L) * pages.pageRows() <= computedRows)
        {
            final int page = pages.allocate();
            blockPages.replace(blockId, page);
            pages.release(page);
            return;
        }
        blockPages.replace(blockId, pageIds[index]);
    }

    /**
     * The request shares a block as entry {@code index}; rows that the block lacks are missing for good. A request that
     * was preempted may have captured rows for that entry: they stay if a token was emitted that they were paired with,
     * else the rows of the shared block replace them, because those belong to the KV content that is used from now on.
     */
    public void matched(
        final int index, final int blockId, final BlockPages blockPages, final int generation, final boolean hasEmitted)
    {
        checkEntry(index);
        final int page = blockPages.page(blockId);
        if (index == pageCount)
        {
            share(page);
            append(page, true, generation);
        }
        else if (!hasEmitted && pageIds[index] != page)
        {
            share(page);
            pages.release(pageIds[index]);
            set(index, page, true, generation);
        }
    }

    /**
     * The request shares a block that a step in flight computes as entry {@code index}. Until {@link #confirm} it keeps
     * what it has for that entry; {@link #dropUnconfirmed} takes back the rest.
     */
    public void matchedPending(final int index, final int blockId, final BlockPages blockPages, final int generation)
    {
        checkEntry(index);
        if (index == pageCount)
        {
            final int page = blockPages.page(blockId);
            pages.retain(page);
            unconfirmed = Math.min(unconfirmed, index);
            append(page, true, generation);
        }
    }

    /** Blocks {@code [first, end)} of the table were computed: their entries are shared as {@link #matched} says. */
    public void confirm(
        final int first,
        final int end,
        final int[] blockTable,
        final BlockPages blockPages,
        final int generation,
        final boolean hasEmitted)
    {
        for (int i = first; i < end; i++)
        {
            if (i >= unconfirmed)
            {
                pages.seal(pageIds[i]);
            }
            else
            {
                matched(i, blockTable[i], blockPages, generation, hasEmitted);
            }
        }
        unconfirmed = CONFIRMED;
    }

    /** Drops every page that came with a match since the last {@link #confirm}, and those behind, which have no rows. */
    public void dropUnconfirmed()
    {
        while (pageCount > unconfirmed)
        {
            pages.release(pageIds[--pageCount]);
        }
        unconfirmed = CONFIRMED;
    }

    /** Whether the block has the page of entry {@code index} of the request. */
    public boolean isPageOf(final int index, final int blockId, final BlockPages blockPages)
    {
        return index < pageCount && pageIds[index] == blockPages.page(blockId);
    }

    private void share(final int page)
    {
        pages.retain(page);
        pages.seal(page);
    }

    private void checkEntry(final int index)
    {
        if (index < 0 || index > pageCount)
        {
            throw new InvariantViolation(
                "entry " + index + " of a block table came when the request had pages for " + pageCount + " entries");
        }
    }

    private void append(final int page, final boolean isInherited, final int generation)
    {
        if (pageCount == pageIds.length)
        {
            pageIds = Arrays.copyOf(pageIds, 2 * pageCount);
            inherited = Arrays.copyOf(inherited, 2 * pageCount);
            generations = Arrays.copyOf(generations, 2 * pageCount);
        }
        set(pageCount++, page, isInherited, generation);
    }

    private void set(final int index, final int page, final boolean isInherited, final int generation)
    {
        pageIds[index] = page;
        inherited[index] = isInherited;
        generations[index] = generation;
    }

    /** Valid rows below {@code rowCount} that came with a prefix match. */
    public int inheritedRows(final int rowCount)
    {
        return countValid(rowCount, true);
    }

    /** Valid rows below {@code rowCount} that were computed for this request. */
    public int capturedRows(final int rowCount)
    {
        return countValid(rowCount, false);
    }

    private int countValid(final int rowCount, final boolean wantInherited)
    {
        int count = 0;
        for (int i = 0; i < pageCount && i * pages.pageRows() < rowCount; i++)
        {
            if (inherited[i] == wantInherited)
            {
                count += pages.validRows(pageIds[i], 0, Math.min(pages.pageRows(), rowCount - i * pages.pageRows()));
            }
        }
        return count;
    }

    /** Drops the rows at and above a position; the page of the last row stays, and its later rows do not count. */
    public void cut(final int rowCount)
    {
        while (pageCount > 0 && (pageCount - 1) * pages.pageRows() >= rowCount)
        {
            pages.release(pageIds[--pageCount]);
        }
        end = rowCount;
    }

    /** Digest of all valid rows, bound to their positions. */
    public long digest()
    {
        long digest = 0;
        for (int i = 0; i < pageCount; i++)
        {
            final int count = end - i * pages.pageRows();
            digest = StateDigest.mix(digest, count >= pages.pageRows() ? pages.pageDigest(pageIds[i]) :
                pages.recomputeDigest(pageIds[i], count));
        }
        return digest;
    }

    /** A copy of rows {@code [from, to)} of a model whose ids fit int16; missing rows are -1, and their weights NaN. */
    public RoutedExperts copy(final int from, final int to)
    {
        if (pages.shape().experts() > ExpertIdType.INT16.maxExperts())
        {
            throw new RoutedExpertsException("int16 ids cannot name " + pages.shape().experts() + " experts.");
        }
        if (from < 0 || to < from || to > (long)pageCount * pages.pageRows())
        {
            throw new RoutedExpertsException("rows " + from + " to " + to + " are not among the " + pageCount +
                " pages of " + pages.pageRows() + " rows that the request holds.");
        }
        final short[] ids = new short[Math.multiplyExact(to - from, pages.shape().rowIds())];
        final float[] weights = pages.shape().combineWeights() ? new float[ids.length] : null;
        final RowReader reader = new RowReader(pages);
        reader.read(pageIds, from, to, ids);
        if (weights != null)
        {
            reader.readWeights(pageIds, from, to, weights);
        }
        return new RoutedExperts(from, to - from, pages.shape(), ids, weights, states(from, ids));
    }

    private byte[] states(final int from, final short[] ids)
    {
        final int width = pages.shape().rowIds();
        final byte[] states = new byte[ids.length / width];
        for (int row = 0; row < states.length; row++)
        {
            final int position = from + row;
            final boolean shared = inherited[position / pages.pageRows()];
            states[row] = (byte)(ids[row * width] == RoutedExpertPages.MISSING ? RoutedExperts.RowState.MISSING :
                shared ? RoutedExperts.RowState.INHERITED : RoutedExperts.RowState.CAPTURED).ordinal();
        }
        return states;
    }

    /** Saves the references to pages, or restores them in an object without any. */
    public void save(final SavedFields fields, final SavedPages saved)
    {
        final int count = fields.count(pageCount);
        for (int i = 0; i < count; i++)
        {
            final boolean isThere = i < pageCount;
            final int page = saved.page(isThere ? pageIds[i] : RoutedExpertPages.NO_PAGE);
            final boolean isInherited = fields.flag(isThere && inherited[i]);
            final int generation = fields.int32(isThere ? generations[i] : 0);
            if (page == RoutedExpertPages.NO_PAGE)
            {
                throw new UnfitImageException("it has rows of a request in no page");
            }
            if (fields.isReading())
            {
                append(page, isInherited, generation);
            }
        }
        unconfirmed = fields.int32(unconfirmed);
        end = fields.int32(end);
    }

    /** Releases every page; the object can then serve another request. */
    public void clear()
    {
        for (int i = 0; i < pageCount; i++)
        {
            pages.release(pageIds[i]);
        }
        pageCount = 0;
        unconfirmed = CONFIRMED;
        end = Integer.MAX_VALUE;
    }
}
