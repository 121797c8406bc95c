// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.JournalMark;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SchedulerSnapshot;
import io.signalbox.journal.snapshot.SchedulerStore;
import io.signalbox.journal.snapshot.SnapshotFiles.Named;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Where a re-run of a journal begins: a scheduler, and a reader behind the group whose state it has.
 *
 * @param mark       of the snapshot; {@code null}: it begins at the first record.
 * @param passedOver snapshots that are not used, each with the reason, as sentences.
 */
record SnapshotStart(JournalReader reader, Scheduler scheduler, JournalMark mark, List<String> passedOver)
{
    /** Records ahead of it, which are not read. */
    long records()
    {
        return mark == null ? 0 : mark.place().records();
    }

    /**
     * Takes the newest snapshot that fits; the beginning if there is none.
     *
     * @param mostRecords snapshots behind more records are left alone.
     * @throws JournalException if the journal cannot be read.
     */
    static SnapshotStart find(
        final Path directory, final long mostRecords, final DpRouters routers, final ReadProgress progress)
    {
        final List<Named> candidates = new ArrayList<>(new SchedulerStore(directory).newestFirst());
        candidates.removeIf(named -> named.records() > mostRecords);
        return find(directory, candidates, routers, progress);
    }

    /**
     * Takes the oldest snapshot that fits, behind which more of the journal is left than behind any other.
     *
     * @throws JournalException if the journal cannot be read.
     */
    static SnapshotStart oldest(final Path directory, final DpRouters routers, final ReadProgress progress)
    {
        final List<Named> candidates = new ArrayList<>(new SchedulerStore(directory).newestFirst());
        Collections.reverse(candidates);
        return find(directory, candidates, routers, progress);
    }

    private static SnapshotStart find(
        final Path directory, final List<Named> candidates, final DpRouters routers, final ReadProgress progress)
    {
        final List<String> passedOver = new ArrayList<>();
        for (final Named named : candidates)
        {
            try
            {
                final SchedulerSnapshot snapshot = SchedulerStore.read(named, routers);
                final JournalReader reader =
                    JournalReader.behind(directory, snapshot.mark(), snapshot.settings(), progress);
                return new SnapshotStart(reader, snapshot.scheduler(), snapshot.mark(), passedOver);
            }
            catch (final UnfitSnapshotException e)
            {
                passedOver.add(named.file() + " is passed over: " + e.getMessage() + ".");
            }
        }
        return atTheBeginning(directory, routers, progress, passedOver);
    }

    private static SnapshotStart atTheBeginning(
        final Path directory, final DpRouters routers, final ReadProgress progress, final List<String> passedOver)
    {
        final JournalBeginning beginning = DirectoryFiles.of(directory, progress).beginning();
        if (beginning != null)
        {
            throw withoutSnapshot(directory, beginning, passedOver);
        }
        final JournalReader reader = JournalReader.open(directory, progress);
        try
        {
            return new SnapshotStart(reader, new Scheduler(reader.config(routers)), null, passedOver);
        }
        catch (final RuntimeException | Error e)
        {
            reader.close();
            throw e;
        }
    }

    /** Segments are removed only while two snapshots fit this program: it was another, or the snapshots were removed. */
    static JournalException withoutSnapshot(
        final Path directory, final JournalBeginning beginning, final List<String> passedOver)
    {
        final String reasons = passedOver.isEmpty() ? "there is none in " + directory.resolve(SegmentName.SNAPSHOTS) + "."
            : String.join(" ", passedOver);
        return new JournalException(Kind.RECORDS_REMOVED, directory + " begins at record " +
            beginning.start().place().records() + ", because its older segments were removed, so its inputs are decided " +
            "again only from a snapshot of its scheduler, and none can be used: " + reasons + " Start the version of " +
            "Signalbox that wrote the snapshots, drain its engine, and begin a new run in another directory.");
    }
}
