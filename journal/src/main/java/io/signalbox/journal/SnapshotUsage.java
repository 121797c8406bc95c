// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.snapshot.SchedulerStore;
import io.signalbox.journal.snapshot.SnapshotFiles;
import io.signalbox.journal.snapshot.SnapshotStore;

import java.nio.file.Path;
import java.util.List;

/**
 * The snapshots of a journal.
 *
 * @param count          how many there are of the folded state.
 * @param bytes          of their files.
 * @param schedulerBytes of the files of those of the scheduler.
 */
public record SnapshotUsage(int count, long bytes, long schedulerBytes)
{
    public static SnapshotUsage of(final Path journal)
    {
        final List<SnapshotFiles.Named> found = new SnapshotStore(journal, Integer.MAX_VALUE).oldestFirst();
        return new SnapshotUsage(found.size(), bytes(found), bytes(new SchedulerStore(journal).newestFirst()));
    }

    private static long bytes(final List<SnapshotFiles.Named> files)
    {
        return files.stream().mapToLong(named -> named.file().toFile().length()).sum();
    }
}
