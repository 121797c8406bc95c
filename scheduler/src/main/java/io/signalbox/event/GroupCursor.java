// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import org.agrona.DirectBuffer;

import java.util.Map;

/**
 * The groups of a recorded run, one after another. A journal implements it; readers that must not know the journal, such
 * as a re-run under another policy, receive it.
 */
public interface GroupCursor extends AutoCloseable
{
    /** Everything that the run depended on, by name. */
    Map<String, String> settings();

    /** Moves to the next group; false at the end of the run. */
    boolean next();

    /** Holds the current group from byte 0; valid until the next call of {@link #next()}. */
    DirectBuffer group();

    int groupLength();

    /**
     * The exception to throw if the current group cannot be decoded: its bytes are as they were written, but they are not
     * those of a scheduler.
     *
     * @param cause what the code threw that decoded it.
     */
    RuntimeException undecodable(Throwable cause);

    @Override
    void close();
}
