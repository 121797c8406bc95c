// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

import java.util.Map;

/** Receives every group, in track order, before the backend, the listener and the clients. */
@FunctionalInterface
public interface GroupJournal extends AutoCloseable
{
    /** Keeps nothing: the journal of an engine without one. */
    GroupJournal NONE = new NoJournal();

    /**
     * The run description that the journal begins with, from which a replay makes its scheduler; empty if the journal has
     * none. An engine with other settings is refused.
     */
    default Map<String, String> runDescription()
    {
        return Map.of();
    }

    /**
     * Appends one group.
     *
     * @param timeNanos logical time of the group's input.
     * @param rows      rows too large to travel inside the group, written in chunks ahead of it; else null.
     */
    void append(long timeNanos, DirectBuffer group, int offset, int length, CaptureSlice rows);

    /** Called when the ring has no further group: the time to make appended groups durable. */
    default void endOfBatch()
    {
    }

    /**
     * Whether {@link #append} and {@link #endOfBatch} never wait for a disk, and take some microseconds. On few cores the
     * thread that decides may then call them too, one thread at a time, and a batch that brings no result is not put off.
     */
    default boolean neverWaits()
    {
        return false;
    }

    /**
     * Why no new request should begin, such as a disk that is nearly full; requests that have begun are finished. Called by
     * any thread ahead of each request, so it must be quick.
     *
     * @return the reason and the remedy, as a sentence without its full stop; {@code null}: any request may begin.
     */
    default String refusesRequests()
    {
        return null;
    }

    /**
     * Called before {@link #close}, by any thread, if the run failed and so does not end with the last group. The journal
     * should record that when it closes.
     */
    default void cutShort()
    {
    }

    @Override
    default void close()
    {
    }
}
