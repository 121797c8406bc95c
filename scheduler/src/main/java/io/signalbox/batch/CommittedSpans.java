// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.experts.BlockPages;

import java.util.Arrays;

/** The runs of routed-expert rows, each within one KV block, that one step stored. */
public final class CommittedSpans
{
    private int count;
    private int[] blocks = new int[16];
    private int[] issues = new int[16];
    private int[] offsets = new int[16];
    private int[] kept = new int[16];
    private int[] alreadyThere = new int[16];
    private int missingRows;
    private int impossibleRows;
    private int nextImpossible;

    void begin()
    {
        count = 0;
        missingRows = 0;
        impossibleRows = 0;
        nextImpossible = 0;
    }

    /**
     * Stores the rows of {@code length} positions of a block from {@code offset}.
     *
     * @param former  the first of them, whose rows stay as former weights left them.
     * @param rowsAt  where the first row begins.
     */
    void store(
        final StepPlan plan,
        final int index,
        final int offset,
        final int length,
        final int former,
        final BlockPages pages,
        final StepOutput output,
        final int rowsAt,
        final int rowBytes)
    {
        ensureCapacity();
        blocks[count] = plan.blockAt(index);
        issues[count] = plan.issueAt(index);
        offsets[count] = offset;
        final int block = blocks[count];
        kept[count] = pages.store(
            block, offset + former, length - former, output.rows(), output.rowsOffset() + rowsAt + former * rowBytes);
        alreadyThere[count] = pages.rowsAlreadyThere() + (former == 0 ? 0 : pages.validRows(block, offset, former));
        missingRows += length - kept[count] - alreadyThere[count];
        count++;
    }

    /** Rows of the step from {@code first} to before {@code end} that were refused; to be asked in ascending order. */
    int countImpossible(final StepOutput output, final int first, final int end)
    {
        int found = 0;
        while (nextImpossible < output.impossibleCount() && output.impossibleRow(nextImpossible) < end)
        {
            found += output.impossibleRow(nextImpossible++) >= first ? 1 : 0;
        }
        impossibleRows += found;
        return found;
    }

    private void ensureCapacity()
    {
        if (count == blocks.length)
        {
            final int capacity = 2 * count;
            blocks = Arrays.copyOf(blocks, capacity);
            issues = Arrays.copyOf(issues, capacity);
            offsets = Arrays.copyOf(offsets, capacity);
            kept = Arrays.copyOf(kept, capacity);
            alreadyThere = Arrays.copyOf(alreadyThere, capacity);
        }
    }

    public int count()
    {
        return count;
    }

    public int block(final int span)
    {
        return blocks[span];
    }

    public int issue(final int span)
    {
        return issues[span];
    }

    /** First position of the span in its block. */
    public int offset(final int span)
    {
        return offsets[span];
    }

    /** Rows that were stored. */
    public int kept(final int span)
    {
        return kept[span];
    }

    /** Rows that were written before; the first write wins. */
    public int alreadyThere(final int span)
    {
        return alreadyThere[span];
    }

    /** Rows of the step without experts, those that were refused included. */
    public int missingRows()
    {
        return missingRows;
    }

    public int impossibleRows()
    {
        return impossibleRows;
    }
}
