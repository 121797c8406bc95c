// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import org.agrona.DirectBuffer;

import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A journal that is opened after the engine was created with it, so that a run that cannot begin leaves no files. Call
 * {@link #open} before the first input is offered, and so before any other thread calls the journal.
 */
public final class DeferredJournal implements GroupJournal
{
    private final Supplier<JournalWriter> opening;
    private final Function<JournalWriter, GroupJournal> form;
    private final Runnable afterDiscard;
    private JournalWriter writer;
    private GroupJournal journal;

    /**
     * @param opening      creates the journal.
     * @param afterDiscard runs after a journal without a group was removed.
     */
    public DeferredJournal(final Supplier<JournalWriter> opening, final Runnable afterDiscard)
    {
        this(opening, writer -> writer, afterDiscard);
    }

    /** @param form what passes groups to the writer, such as a {@link WithheldJournal}. */
    public DeferredJournal(
        final Supplier<JournalWriter> opening, final Function<JournalWriter, GroupJournal> form, final Runnable afterDiscard)
    {
        this.opening = opening;
        this.form = form;
        this.afterDiscard = afterDiscard;
    }

    public void open()
    {
        writer = opening.get();
        journal = form.apply(writer);
    }

    /** {@code null} until {@link #open()}. */
    public JournalWriter writer()
    {
        return writer;
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        journal.append(timeNanos, group, offset, length, rows);
    }

    @Override
    public void endOfBatch()
    {
        if (writer != null)
        {
            writer.endOfBatch();
        }
    }

    @Override
    public String refusesRequests()
    {
        return journal == null ? null : journal.refusesRequests();
    }

    @Override
    public void cutShort()
    {
        if (writer != null)
        {
            writer.cutShort();
        }
    }

    /** A run that ends before its first group leaves no journal; its files are removed before the lock is released. */
    @Override
    public void close()
    {
        if (writer != null && writer.groups() == 0)
        {
            writer.discard();
            afterDiscard.run();
        }
        else if (writer != null)
        {
            writer.close();
        }
    }
}
