// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.ring.Nanos;
import io.signalbox.engine.ring.Pause;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EncodedInput;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.RowForm;
import org.agrona.DirectBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Compares the rows of a group with the group immediately before the journal appends both. The engine stops if a backend
 * wrote into a slice before its release, or if a completion does not describe its rows: such a journal could not be read.
 *
 * <p>One word names the user of the journal: no thread, the thread that appends, or permanently the thread that closes.
 * The close never interrupts an append, and a delayed thread cannot append after the close.
 */
final class CheckedJournal implements GroupJournal
{
    /** The close of the journal may take this many times the bound, because a disk may be slow. */
    private static final int DISK = 10;

    private static final int NOBODY = 0;
    private static final int APPENDS = 1;
    private static final int CLOSES = 2;

    private final GroupJournal journal;
    private final InputCheck input = new InputCheck();
    private final RowsChecksum checksum = new RowsChecksum();
    private final ForeignCall closing;
    private final long closeTimeoutNanos;
    private final AtomicInteger user = new AtomicInteger(NOBODY);

    /** @param closeTimeoutNanos bounds the wait for a running append, and the close of the journal itself. */
    CheckedJournal(final GroupJournal journal, final ForeignCall closing, final long closeTimeoutNanos)
    {
        this.journal = journal;
        this.closing = closing;
        this.closeTimeoutNanos = closeTimeoutNanos;
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        if (rows != null || isChunked(group, offset + GroupWriter.LENGTH_BYTES))
        {
            input.rows = rows;
            input.readInput(group, offset, length);
            input.rows = null;
        }
        take();
        try
        {
            journal.append(timeNanos, group, offset, length, rows);
        }
        finally
        {
            user.setRelease(NOBODY);
        }
    }

    /** Whether the input of the group says that rows come with it. */
    private static boolean isChunked(final DirectBuffer group, final int input)
    {
        return EncodedInput.hasChunkedRows(GroupReader.templateAt(group, input), group, input);
    }

    private void take()
    {
        if (!user.compareAndSet(NOBODY, APPENDS))
        {
            throw new IllegalStateException("the journal is closed, and nothing more is appended");
        }
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
        take();
        try
        {
            journal.endOfBatch();
        }
        finally
        {
            user.setRelease(NOBODY);
        }
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
        takeForGood();
        close("the record that the run was cut short was not made", journal::cutShort);
    }

    /** @throws IllegalStateException if an append has not ended in time, or the journal is not closed in time. */
    @Override
    public void close()
    {
        takeForGood();
        close("the journal was not closed", journal::close);
    }

    /** One thread uses a journal at a time. If it were closed during an append, it could never be read. */
    private void takeForGood()
    {
        final long start = System.nanoTime();
        for (int round = 0; user.get() != CLOSES && !user.compareAndSet(NOBODY, CLOSES); round++)
        {
            if (System.nanoTime() - start > closeTimeoutNanos)
            {
                throw new IllegalStateException("the journal still had an append under way after " +
                    Nanos.text(closeTimeoutNanos) + " and is not closed; recover it when this process has ended");
            }
            Pause.pause(round);
        }
    }

    private void close(final String what, final Runnable call)
    {
        closing.run(what, Nanos.product(DISK, closeTimeoutNanos), call);
    }
}
