// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.StateSnapshot;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RunFold;
import io.signalbox.state.StateFold;

import java.nio.file.Path;

/** Folds the groups of a journal one by one, from its beginning or from a snapshot. */
final class JournalFold implements AutoCloseable
{
    private final Path directory;
    private final JournalReader reader;
    private final JournalMoment target;
    private final FoldedState state;
    private final RunFold fold;
    private boolean isBeyond;
    private long record;

    private JournalFold(
        final Path directory,
        final JournalReader reader,
        final JournalMoment target,
        final FoldedState state,
        final long record)
    {
        this.directory = directory;
        this.reader = reader;
        this.target = target;
        this.record = record;
        this.state = state;
        fold = RunFold.of(new StateFold(state)).behind(state);
    }

    static JournalFold fromStart(final Path directory, final JournalMoment target, final ReadProgress progress)
    {
        final JournalReader reader = JournalReader.open(directory, progress);
        try
        {
            return new JournalFold(
                directory, reader, target, new FoldedState(reader.stateShape()), -1);
        }
        catch (final RuntimeException | Error e)
        {
            reader.close();
            throw e;
        }
    }

    /** @throws UnfitSnapshotException if the snapshot is not of this journal. */
    static JournalFold behind(
        final Path directory, final StateSnapshot snapshot, final JournalMoment target, final ReadProgress progress)
    {
        return new JournalFold(directory, JournalReader.behind(directory, snapshot.mark(),
            snapshot.settings(), progress), target, snapshot.state(),
            snapshot.mark().place().records() - 1);
    }

    /**
     * Applies the next group; false behind the last one that counts.
     *
     * @throws JournalException if the journal is damaged, or is being written and has no further group yet.
     */
    boolean next()
    {
        if (isBeyond || !reader.next())
        {
            return false;
        }
        if (!target.includes(reader.sequence(), reader.timeNanos()))
        {
            isBeyond = true;
            return false;
        }
        try
        {
            fold.onGroup(reader.group(), 0, reader.groupLength(), reader.timeNanos());
        }
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e)
        {
            throw new JournalException(Kind.CORRUPT_RECORD, directory + ", record " + reader.sequence() +
                ": its group contradicts the groups ahead of it (" + e.getMessage() + "); records ahead of it are good; " +
                "the program that wrote it is at fault.", e);
        }
        record = reader.sequence();
        return true;
    }

    FoldedState state()
    {
        return state;
    }

    /** Record of the last group that was applied; -1: none. */
    long record()
    {
        return record;
    }

    JournalReader reader()
    {
        return reader;
    }

    /** The state behind the current group. It changes with the next one. */
    StateSnapshot snapshot()
    {
        return new StateSnapshot(reader.settings(), reader.mark(), state);
    }

    /** Whether a group ended the fold, and not the end of the journal. */
    boolean isBeyond()
    {
        return isBeyond;
    }

    @Override
    public void close()
    {
        reader.close();
    }
}
