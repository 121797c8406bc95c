// SPDX-License-Identifier: Apache-2.0
package io.signalbox.diff;

import io.signalbox.journal.ReadProgress;

/** The progress of two journals that are read at once, as one. */
final class TwoReads
{
    private final ReadProgress progress;
    private final long[] done = new long[2];
    private final long[] total = new long[2];

    TwoReads(final ReadProgress progress)
    {
        this.progress = progress;
    }

    ReadProgress left()
    {
        return (doneBytes, totalBytes) -> onRead(0, doneBytes, totalBytes);
    }

    ReadProgress right()
    {
        return (doneBytes, totalBytes) -> onRead(1, doneBytes, totalBytes);
    }

    private void onRead(final int side, final long doneBytes, final long totalBytes)
    {
        done[side] = doneBytes;
        total[side] = totalBytes;
        progress.onRead(done[0] + done[1], total[0] + total[1]);
    }
}
