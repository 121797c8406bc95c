// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.inspect.JournalQuery;
import io.signalbox.journal.ReadProgress;
import io.signalbox.printing.Decimals;

/** Shows how much of a journal is read. */
public final class ReadingProgress implements ReadProgress, AutoCloseable
{
    private final Progress progress;
    private boolean hasRows;

    public ReadingProgress(final Progress progress)
    {
        this.progress = progress;
    }

    @Override
    public void onRead(final long doneBytes, final long totalBytes)
    {
        progress.show(doneBytes, totalBytes, () -> Decimals.bytes(doneBytes) +
            (doneBytes <= totalBytes ? " of " + Decimals.bytes(totalBytes) : "") + " read");
    }

    /** Rows that are printed: each clears the line, and a later state draws it again. */
    public JournalQuery.RowReceiver before(final JournalQuery.RowReceiver rows)
    {
        return new JournalQuery.RowReceiver()
        {
            @Override
            public void onRow(final Record row)
            {
                hasRows = true;
                if (!rows.isFull())
                {
                    progress.wipe();
                }
                rows.onRow(row);
            }

            @Override
            public boolean isFull()
            {
                return rows.isFull();
            }
        };
    }

    /** Whether a row was printed, or counted. */
    public boolean hasRows()
    {
        return hasRows;
    }

    @Override
    public void close()
    {
        progress.close();
    }
}
