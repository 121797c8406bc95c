// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import io.signalbox.journal.ReadProgress;

/** Shows how much of a journal is read. */
public final class ReadingProgress implements ReadProgress, AutoCloseable
{
    private final Progress progress;

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

    /** Clears the line, so that a row of the result can be printed; a later state draws it again. */
    public void wipe()
    {
        progress.wipe();
    }

    @Override
    public void close()
    {
        progress.close();
    }
}
