// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

/** Where the engine writes every group, in track order, before anything else sees it. */
public interface GroupJournal extends AutoCloseable
{
    /**
     * Appends one group.
     *
     * @param timeNanos logical time of the group's input.
     * @param rows      rows too large to travel inside the group, written in chunks ahead of it; else null.
     */
    void append(long timeNanos, DirectBuffer group, int offset, int length, CaptureSlice rows);

    /** The ring has no further group at hand: the moment to make appended groups durable. */
    void endOfBatch();

    /**
     * The run failed, so that it does not end with the last group. Called ahead of {@link #close}, at which the journal
     * should say so; by any thread.
     */
    default void cutShort()
    {
    }

    @Override
    void close();
}
