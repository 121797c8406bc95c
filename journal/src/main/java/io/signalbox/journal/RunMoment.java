// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SnapshotFiles;
import io.signalbox.journal.snapshot.SnapshotStore;
import io.signalbox.journal.snapshot.StateSnapshot;
import io.signalbox.state.FoldedState;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The state of a run at a moment, folded from its journal. The fold begins at the newest snapshot ahead of the moment that
 * fits the journal, or at the beginning. A snapshot is used only if it is whole, the record that it was taken behind is
 * still there, and no later group contradicts it.
 *
 * @param state       behind the last group that counts.
 * @param record      record of that group; -1: there is none.
 * @param firstRecord the first record that was read; 0: no snapshot was used.
 * @param passedOver  snapshots that were not used, each with the reason, as sentences.
 */
public record RunMoment(FoldedState state, long record, long firstRecord, List<String> passedOver)
{
    /**
     * Reads a journal that is closed, was not closed, or is being written.
     *
     * @throws ConfigException  if the moment is a record that the journal does not have.
     * @throws JournalException if the journal is damaged ahead of the moment.
     */
    public static RunMoment at(final Path directory, final JournalMoment moment, final ReadProgress progress)
    {
        final List<String> passedOver = new ArrayList<>();
        final List<SnapshotFiles.Named> candidates =
            new ArrayList<>(new SnapshotStore(directory, Integer.MAX_VALUE).oldestFirst());
        Collections.reverse(candidates);
        for (final SnapshotFiles.Named named : candidates)
        {
            // The header is not trusted; the state that is read is asked again.
            if (moment.includes(named.records() - 1, SnapshotStore.timeNanos(named)))
            {
                final RunMoment found = behind(directory, named, moment, progress, passedOver);
                if (found != null)
                {
                    return found;
                }
            }
        }
        requireBeginning(directory, passedOver, candidates.stream().anyMatch(
            named -> !moment.includes(named.records() - 1, SnapshotStore.timeNanos(named))));
        try (JournalFold fold = JournalFold.fromStart(directory, moment, progress))
        {
            return run(directory, fold, moment, 0, passedOver);
        }
    }

    /** @param anyLater whether a snapshot of a later moment exists. */
    private static void requireBeginning(
        final Path directory, final List<String> passedOver, final boolean anyLater)
    {
        final JournalBeginning beginning = JournalBeginning.of(directory);
        if (beginning != null)
        {
            throw new JournalException(Kind.RECORDS_REMOVED, directory + " begins at record " +
                beginning.start().place().records() + ", because its older segments were removed, and no snapshot ahead " +
                "of this moment can be used; " +
                (anyLater ? "ask for a later one." : "restore its snapshots from a copy.") +
                (passedOver.isEmpty() ? "" : " " + String.join(" ", passedOver)));
        }
    }

    /** {@code null} if the snapshot is not used. */
    private static RunMoment behind(
        final Path directory,
        final SnapshotFiles.Named named,
        final JournalMoment moment,
        final ReadProgress progress,
        final List<String> passedOver)
    {
        try
        {
            final StateSnapshot snapshot = SnapshotStore.read(named);
            if (!moment.includes(named.records() - 1, snapshot.state().timeNanos()))
            {
                return null;
            }
            try (JournalFold fold = JournalFold.behind(directory, snapshot, moment, progress))
            {
                return run(directory, fold, moment, named.records() - 1, passedOver);
            }
        }
        catch (final UnfitSnapshotException e)
        {
            passedOver.add(named.file() + " is passed over: " + e.getMessage() + ".");
            return null;
        }
        catch (final JournalException e)
        {
            if (e.kind() != Kind.CORRUPT_RECORD)
            {
                throw e;
            }
            // The journal or the snapshot: a fold from further ahead finds out.
            passedOver.add(named.file() + " is passed over: the journal behind it contradicts it.");
            return null;
        }
    }

    private static RunMoment run(
        final Path directory,
        final JournalFold fold,
        final JournalMoment moment,
        final long firstRecord,
        final List<String> passedOver)
    {
        try
        {
            while (fold.next())
            {
                // Each call applies a group.
                continue;
            }
        }
        catch (final JournalException e)
        {
            if (e.kind() != Kind.BEING_WRITTEN)
            {
                throw e;
            }
        }
        final long records = fold.reader().records();
        if (!fold.isBeyond() && moment.record() != Long.MAX_VALUE && moment.record() >= records)
        {
            throw new ConfigException("record " + moment.record() + " is none of " + directory + ", whose records are 0 " +
                "to " + (records - 1) + "; give one of them.");
        }
        return new RunMoment(fold.state(), fold.record(), firstRecord, List.copyOf(passedOver));
    }
}
