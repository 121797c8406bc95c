// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import org.agrona.DirectBuffer;

/** Encodes the inputs that an engine makes by itself, one at a time. Not thread-safe. */
public final class ShellInputs
{
    private static final String DISCARDED =
        "discarded: nobody took the rows, and rows that nobody took were too many or too old";

    private final InputWriter writer = new InputWriter();

    public void wake(final long timeNanos)
    {
        writer.wake().timeNanos(timeNanos);
    }

    public void discardRows(final long requestId, final long timeNanos)
    {
        writer.control().timeNanos(timeNanos).requestId(requestId).kind(ControlKind.RELEASE_ROWS)
            .note(DISCARDED);
    }

    /** Whether a release of rows with this note is of rows that nobody took. */
    public static boolean isDiscard(final String note)
    {
        return note.equals(DISCARDED);
    }

    /** Ahead of the restart, if the router has another version than the one that decided so far. */
    public void routerVersion(final long timeNanos, final String label, final int version)
    {
        writer.routerVersion().timeNanos(timeNanos).version(version).label(label);
    }

    /** The restart of an engine that continues a run: every rank begins anew, without KV memory. */
    public void restart(final long timeNanos, final int newEpoch)
    {
        writer.backendReset().timeNanos(timeNanos).newEpoch(newEpoch).kvMemoryKept(Flag.NO).restart(Flag.YES);
    }

    public DirectBuffer buffer()
    {
        return writer.buffer();
    }

    public int length()
    {
        return writer.length();
    }
}
