// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

/** Rows that a reader of a journal holds, for another journal. */
record CopiedRows(DirectBuffer buffer, int bytes, int rowBytes) implements CaptureSlice
{
    @Override
    public int offset()
    {
        return 0;
    }

    @Override
    public int rowCount()
    {
        return bytes / rowBytes;
    }

    @Override
    public void release()
    {
        // The reader's.
    }
}
