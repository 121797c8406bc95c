// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.event.CommitWords;
import io.signalbox.experts.BlockPages;
import org.agrona.DirectBuffer;

import java.util.Arrays;

/** The runs of routed-expert rows, each within one KV block, that one step stored. */
final class CommittedSpans
{
    private static final int WORDS = CommitWords.SPAN_WORDS;

    private int count;
    private long[] words = new long[16 * WORDS];
    private int missingRows;
    private int impossibleRows;
    private int nextImpossible;
    /** The next row that was refused; above every row if there is none. */
    private int nextImpossibleRow;
    /** The array with the rows of the step; null if no array holds them. */
    private byte[] memory;
    /** Index of their first byte. */
    private int memoryStart;

    /** @param bytes of all rows of the step. */
    void begin(final StepOutput output, final int bytes)
    {
        count = 0;
        missingRows = 0;
        impossibleRows = 0;
        nextImpossible = 0;
        findImpossible(output);
        final DirectBuffer rows = output.rows();
        memory = rows == null ? null : rows.byteArray();
        if (memory != null)
        {
            rows.boundsCheck(output.rowsOffset(), bytes);
            memoryStart = rows.wrapAdjustment() + output.rowsOffset();
        }
    }

    private void findImpossible(final StepOutput output)
    {
        nextImpossibleRow =
            nextImpossible < output.impossibleCount() ? output.impossibleRow(nextImpossible) : Integer.MAX_VALUE;
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
        final int block = plan.blockAt(index);
        final int kept = pages.store(
            block, offset + former, length - former, output.rows(), output.rowsOffset() + rowsAt + former * rowBytes);
        add(block, plan.issueAt(index), offset, length, kept,
            pages.rowsAlreadyThere() + (former == 0 ? 0 : pages.validRows(block, offset, former)));
    }

    /** Stores one row that no former weights left, in the same way. */
    void storeRow(
        final StepPlan plan,
        final int index,
        final int offset,
        final BlockPages pages,
        final StepOutput output,
        final int rowAt)
    {
        final int block = plan.blockAt(index);
        final int kept = memory == null ? pages.store(block, offset, 1, output.rows(), output.rowsOffset() + rowAt) :
            pages.storeRow(block, offset, memory, memoryStart + rowAt) ? 1 : 0;
        add(block, plan.issueAt(index), offset, 1, kept, pages.rowsAlreadyThere());
    }

    private void add(
        final int block, final int issue, final int offset, final int length, final int kept, final int alreadyThere)
    {
        final int at = count * WORDS;
        if (at == words.length)
        {
            words = Arrays.copyOf(words, 2 * at);
        }
        words[at] = CommitWords.range(block, issue);
        words[at + 1] = CommitWords.range(offset, kept);
        words[at + 2] = alreadyThere;
        missingRows += length - kept - alreadyThere;
        count++;
    }

    /** Whether a row before {@code end} was refused that is not counted yet. */
    boolean hasImpossible(final int end)
    {
        return nextImpossibleRow < end;
    }

    /** Rows of the step from {@code first} to before {@code end} that were refused; to be asked in ascending order. */
    int countImpossible(final StepOutput output, final int first, final int end)
    {
        int found = 0;
        while (nextImpossibleRow < end)
        {
            found += nextImpossibleRow >= first ? 1 : 0;
            nextImpossible++;
            findImpossible(output);
        }
        impossibleRows += found;
        return found;
    }

    int count()
    {
        return count;
    }

    /** {@link CommitWords} of the spans; callers must not change them. */
    long[] words()
    {
        return words;
    }

    /** Rows of the step without experts, those that were refused included. */
    int missingRows()
    {
        return missingRows;
    }

    int impossibleRows()
    {
        return impossibleRows;
    }
}
