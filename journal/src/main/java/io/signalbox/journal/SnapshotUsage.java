// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.nio.file.Path;
import java.util.List;

/**
 * The snapshots of a journal.
 *
 * @param count how many there are.
 * @param bytes of their files.
 */
public record SnapshotUsage(int count, long bytes)
{
    public static SnapshotUsage of(final Path journal)
    {
        final List<SnapshotStore.Named> found = new SnapshotStore(journal, Integer.MAX_VALUE).oldestFirst();
        return new SnapshotUsage(found.size(), found.stream().mapToLong(named -> named.file().toFile().length()).sum());
    }
}
