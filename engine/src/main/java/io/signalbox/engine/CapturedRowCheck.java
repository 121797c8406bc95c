// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.request.MarkedRows;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RowCheck;

import java.util.Arrays;

/**
 * Checks the captured rows of one step at a time before anything believes them: the backend's own checksum, rows that it
 * declares as invalid, and rows that no expert router can have chosen. Not thread-safe.
 */
final class CapturedRowCheck
{
    private final ModelShape shape;
    private final RowCheck check;
    private final EngineConfig.ImpossibleRows policy;
    private CaptureSlice rows;
    private MarkedRows copy;
    private int impossibleCount;
    private int[] impossible = new int[8];

    CapturedRowCheck(final ModelShape shape, final EngineConfig.ImpossibleRows policy)
    {
        this.shape = shape;
        this.policy = policy;
        check = new RowCheck(shape);
    }

    /**
     * Checks rows of the right number and width.
     *
     * @param checksum of all rows.
     * @param launch   the step, which has an entry for each entry of the tokens.
     * @param tokens   the step's results: rows of draft tokens that were not accepted may be anything.
     * @return the end of a sentence that begins with the step, or null if {@link #rows()} can be journaled.
     */
    String fault(
        final CaptureSlice captured, final long checksum, final LaunchedSteps.Launch launch, final StepTokens tokens)
    {
        rows = captured;
        copy = null;
        impossibleCount = 0;
        final long claimed = captured.checksum();
        if (claimed != CaptureSlice.NO_CHECKSUM && claimed != checksum)
        {
            return String.format("has routed-expert rows with the CRC32C %08x, but the backend captured rows with %08x",
                checksum, claimed);
        }
        final String unsayable = markInvalid();
        if (unsayable != null)
        {
            return unsayable;
        }
        markImpossible();
        rows = copy == null ? captured : copy;
        return impossibleCount == 0 || policy == EngineConfig.ImpossibleRows.MISSING ? null : computed(launch, tokens);
    }

    /** The fault of a step that has an impossible row of a token that counts as computed, or null. */
    private String computed(final LaunchedSteps.Launch launch, final StepTokens tokens)
    {
        int first = -1;
        int more = -1;
        int entry = 0;
        int entryRow = 0;
        for (int i = 0; i < impossibleCount; i++)
        {
            for (; impossible[i] - entryRow >= launch.count(entry); entry++)
            {
                entryRow += launch.count(entry);
            }
            final boolean counts = impossible[i] - entryRow < launch.computed(entry, tokens.accepted(entry));
            first = counts && first < 0 ? impossible[i] : first;
            more += counts ? 1 : 0;
        }
        return first < 0 ? null : "has routed-expert row " + first + ", and " + more +
            " more, with an id that is no expert or an expert twice in a layer" +
            (shape.combineWeights() ? ", or with a combine weight that is not finite" : "");
    }

    private String markInvalid()
    {
        final int count = rows.declaresRows() ? rows.rowCount() : 0;
        for (int row = 0; row < count; row++)
        {
            if (!rows.isValid(row))
            {
                mark(row);
                if (!RowCheck.isMarked(shape, copy.buffer(), row * shape.rowBytes()))
                {
                    return "lacks routed-expert row " + row + ", which a row of one id cannot say if every id is one of " +
                        shape.experts() + " experts";
                }
            }
        }
        return null;
    }

    private void markImpossible()
    {
        final int count = rows.rowCount();
        final CaptureSlice checked = copy == null ? rows : copy;
        int row = check.firstUnsound(checked.buffer(), checked.offset(), 0, count);
        while (row < count)
        {
            if (!RowCheck.isMarked(shape, checked.buffer(), checked.offset() + row * shape.rowBytes()))
            {
                addImpossible(row);
                mark(row);
            }
            row = check.firstUnsound(checked.buffer(), checked.offset(), row + 1, count);
        }
    }

    private void mark(final int row)
    {
        copy = copy == null ? new MarkedRows(rows) : copy;
        copy.mark(row);
    }

    private void addImpossible(final int row)
    {
        impossible = impossibleCount == impossible.length ? Arrays.copyOf(impossible, 2 * impossibleCount) : impossible;
        impossible[impossibleCount++] = row;
    }

    /** The rows as they may be journaled: what was captured, or a copy in which rows are marked as missing. */
    CaptureSlice rows()
    {
        return rows;
    }

    int impossibleCount()
    {
        return impossibleCount;
    }

    int impossibleRow(final int index)
    {
        return impossible[index];
    }
}
