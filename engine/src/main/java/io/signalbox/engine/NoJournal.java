// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

/** Discards every group: {@link GroupJournal#NONE}. */
final class NoJournal implements GroupJournal
{
    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
    }

    @Override
    public boolean neverWaits()
    {
        return true;
    }

    @Override
    public String toString()
    {
        return "no journal";
    }
}
