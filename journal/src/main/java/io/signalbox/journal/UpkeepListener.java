// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.util.List;

/** Receives what is done beside a run to keep its journal small, from the thread that does it. A call must not wait. */
public interface UpkeepListener
{
    /** Ignores what it receives. */
    UpkeepListener NONE = new UpkeepListener()
    {
    };

    /**
     * Segments that were removed.
     *
     * @param segments    how many.
     * @param bytes       of their files; holes of sparse files do not count.
     * @param firstRecord sequence number of the first record that is kept.
     * @param notes       why segments stay that are too much, and snapshots that cannot be used, as sentences.
     */
    record Removal(int segments, long bytes, long firstRecord, List<String> notes)
    {
    }

    /** Segments were removed, or notes say why those stay that are too much. */
    default void onRemoval(final Removal removal)
    {
    }

    /**
     * Snapshots cannot be written, or segments not be removed. The run continues, and its journal grows.
     *
     * @param sentence  the fault, its place and the remedy.
     * @param continues whether it is tried again; else not by this run.
     */
    default void onFailure(final String sentence, final boolean continues)
    {
    }
}
