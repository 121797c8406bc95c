// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SnapshotFiles;
import io.signalbox.journal.snapshot.SnapshotStore;
import io.signalbox.journal.snapshot.StateSnapshot;
import io.signalbox.state.FoldedState;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the reading of a journal begins if it needs to know the state of the run: at the first record or, if records were
 * removed, behind the oldest snapshot of the folded state that fits.
 *
 * @param reader of what follows.
 * @param state  the state ahead of that, which belongs to the caller; {@code null} if nothing is ahead.
 */
public record StateStart(JournalReader reader, FoldedState state) implements AutoCloseable
{
    /** @throws JournalException if the journal cannot be read; RECORDS_REMOVED if no snapshot fits. */
    public static StateStart of(final Path directory, final ReadProgress progress)
    {
        final JournalBeginning beginning = JournalBeginning.of(directory);
        if (beginning == null)
        {
            return new StateStart(JournalReader.open(directory, progress), null);
        }
        final List<String> passedOver = new ArrayList<>();
        for (final SnapshotFiles.Named named : new SnapshotStore(directory, Integer.MAX_VALUE).oldestFirst())
        {
            try
            {
                final StateSnapshot snapshot = SnapshotStore.read(named);
                return new StateStart(
                    JournalReader.behind(directory, snapshot.mark(), snapshot.settings(), progress), snapshot.state());
            }
            catch (final UnfitSnapshotException e)
            {
                passedOver.add(named.file() + " is passed over: " + e.getMessage() + ".");
            }
        }
        throw new JournalException(Kind.RECORDS_REMOVED, directory + " begins at record " +
            beginning.start().place().records() + ", because its older segments were removed, and no snapshot of the " +
            "state that the run had later can be used" + (passedOver.isEmpty() ? "" : ": " + String.join(" ", passedOver)) +
            "; bring the directory " + directory.resolve(SegmentName.SNAPSHOTS) + " back from a copy.");
    }

    @Override
    public void close()
    {
        reader.close();
    }
}
