// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import org.agrona.DirectBuffer;

/** Encodes the inputs that an engine makes by itself, one at a time. Not thread-safe. */
final class ShellInputs
{
    private final InputWriter writer = new InputWriter();

    void wake(final long timeNanos)
    {
        writer.wake().timeNanos(timeNanos);
    }

    void discardRows(final long requestId, final long timeNanos)
    {
        writer.control().timeNanos(timeNanos).requestId(requestId).kind(ControlKind.RELEASE_ROWS)
            .note("discarded: nobody took the rows, and rows that nobody took were too many or too old");
    }

    DirectBuffer buffer()
    {
        return writer.buffer();
    }

    int length()
    {
        return writer.length();
    }
}
