// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.RowForm;
import org.agrona.DirectBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;

/**
 * Compares the rows of a group with the group immediately before the journal appends both. The engine stops if a backend
 * wrote into a slice before its release, or if a completion does not describe its rows: such a journal could not be read.
 */
final class CheckedJournal implements GroupJournal
{
    private final GroupJournal journal;
    private final InputCheck input = new InputCheck();
    private final RowsChecksum checksum = new RowsChecksum();

    CheckedJournal(final GroupJournal journal)
    {
        this.journal = journal;
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        input.rows = rows;
        input.readInput(group, offset, length);
        input.rows = null;
        journal.append(timeNanos, group, offset, length, rows);
    }

    /** Checks the input of the group that is being appended. */
    private final class InputCheck extends EventReader
    {
        private CaptureSlice rows;

        @Override
        protected void onD2hComplete(final CompletionView message)
        {
            check(message, rows);
        }

        @Override
        protected void onOther(final MessageDecoderFlyweight message)
        {
            if (rows != null)
            {
                throw new InvariantViolation(
                    "a " + nameOf(message) + " brings routed-expert rows, but only a D2hComplete may");
            }
        }
    }

    private void check(final CompletionView input, final CaptureSlice rows)
    {
        final boolean chunked = input.rowForm() == RowForm.CHUNKED;
        final boolean fits = rows == null ? !chunked :
            chunked && rows.rowCount() == input.rowCount() && rows.rowBytes() == input.rowBytes();
        if (!fits)
        {
            throw new InvariantViolation(stepOf(input) + " refers to " + input.rowCount() + " routed-expert rows of " +
                input.rowBytes() + " bytes in the form " + input.rowForm() + ", but " +
                (rows == null ? "none" : rows.rowCount() + " of " + rows.rowBytes() + " bytes") + " came with it");
        }
        if (rows != null &&
            checksum.of(rows.buffer(), rows.offset(), rows.rowCount() * rows.rowBytes()) != input.rowsChecksum())
        {
            throw new InvariantViolation("the routed-expert rows of " + stepOf(input) +
                " changed before the journal had them: the backend wrote into a capture slice that it had not got back");
        }
    }

    private static String stepOf(final CompletionView input)
    {
        return "step " + input.step() + " of rank " + input.rank();
    }

    @Override
    public void endOfBatch()
    {
        journal.endOfBatch();
    }

    @Override
    public boolean neverWaits()
    {
        return journal.neverWaits();
    }

    @Override
    public String refusesRequests()
    {
        return journal.refusesRequests();
    }

    @Override
    public void cutShort()
    {
        journal.cutShort();
    }

    @Override
    public void close()
    {
        journal.close();
    }
}
