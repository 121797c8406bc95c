// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.JournalMark;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.state.FoldedState;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads a journal that may still be written: each call hands out the groups that came since the last one. If records were
 * removed, it begins at the first that is kept, or behind a snapshot if the state of the run is needed.
 */
public final class JournalFollower
{
    private final Path directory;
    private final boolean needsState;
    private FoldedState ahead;
    /** Behind the last group that was handed out; {@code null} before the first. */
    private JournalMark mark;
    private Map<String, String> settings;
    private Ending ending = Ending.OPEN;

    /** @param needsState whether {@link #ahead()} is asked for. */
    public JournalFollower(final Path directory, final boolean needsState)
    {
        this.directory = directory;
        this.needsState = needsState;
    }

    /** The state ahead of the first group; {@code null} if nothing is ahead of it, or no state is needed. */
    public FoldedState ahead()
    {
        return ahead;
    }

    /**
     * Hands out what is new.
     *
     * @param opened   receives each reader before the first group of all.
     * @param receiver receives the reader at each group.
     * @return false if the journal is still being written, so that a later call may find more.
     * @throws JournalException if the journal is damaged, or another one has its place.
     */
    public boolean follow(
        final Consumer<JournalReader> opened, final Consumer<JournalReader> receiver, final ReadProgress progress)
    {
        try (JournalReader reader = open(progress))
        {
            settings = reader.settings();
            if (mark == null)
            {
                opened.accept(reader);
            }
            while (reader.next())
            {
                mark = reader.mark();
                receiver.accept(reader);
            }
            ending = reader.ending();
            return true;
        }
        catch (final JournalException e)
        {
            if (e.kind() == Kind.BEING_WRITTEN)
            {
                return false;
            }
            throw e;
        }
    }

    private JournalReader open(final ReadProgress progress)
    {
        if (mark == null && needsState)
        {
            final StateStart start = StateStart.of(directory, progress);
            ahead = start.state();
            return start.reader();
        }
        if (mark == null)
        {
            return JournalReader.openKept(directory, progress);
        }
        try
        {
            return JournalReader.behind(directory, mark, settings, progress);
        }
        catch (final UnfitSnapshotException e)
        {
            throw new JournalException(Kind.FOREIGN_FILE, directory + " is another journal than the one that was " +
                "followed, or its records there were removed meanwhile: " + e.getMessage() + "; begin again.", e);
        }
    }

    /** How the journal ends; OPEN before {@link #follow} has returned true. */
    public Ending ending()
    {
        return ending;
    }
}
