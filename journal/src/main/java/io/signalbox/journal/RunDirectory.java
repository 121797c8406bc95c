// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.nio.file.Path;
import java.time.Instant;

/**
 * A directory as {@link RunDirectories} finds it.
 *
 * @param path          the directory.
 * @param state         its kind.
 * @param reason        for FOREIGN and DAMAGED, why, as a clause; for BEING_WRITTEN the process; else {@code null}.
 * @param segments      segments of its journal.
 * @param bytes         of all its files, snapshots included; holes of sparse files do not count.
 * @param snapshotBytes lengths of its snapshots.
 * @param began         wall time of its first record; {@code null} if that cannot be read.
 * @param written       when one of its files was written last.
 */
public record RunDirectory(
    Path path,
    State state,
    String reason,
    int segments,
    long bytes,
    long snapshotBytes,
    Instant began,
    Instant written)
{
    /** The kinds of directories. */
    public enum State
    {
        /** A run that no process writes. */
        IDLE,
        /** A run that a process writes. */
        BEING_WRITTEN,
        /** It has the files of a run and no others, and its first record cannot be read. */
        DAMAGED,
        /** No run, or a run among other files. */
        FOREIGN
    }

    /** Whether a removal of it was stopped before its end, so that nothing of it can be read. */
    public boolean isLeftover()
    {
        return state == State.IDLE && began == null && RunDirectories.isLeftover(path);
    }

    /** Whether it may be removed: a run that no process writes, and nothing else. */
    public boolean isRemovable()
    {
        return state == State.IDLE;
    }
}
