// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/** Receives the progress of reading a journal, about once per MiB, from the thread that reads: not always the caller's. */
@FunctionalInterface
public interface ReadProgress
{
    /** Ignores what it receives. */
    ReadProgress NONE = (doneBytes, totalBytes) ->
    {
    };

    /**
     * @param doneBytes  bytes of all segments that were read or skipped.
     * @param totalBytes bytes that the segments had when the reading began; a journal that is being written grows beyond.
     */
    void onRead(long doneBytes, long totalBytes);

    /**
     * A snapshot at which the reading could have begun is not used.
     *
     * @param sentence names the file and the reason.
     */
    default void onPassedOver(final String sentence)
    {
    }
}
