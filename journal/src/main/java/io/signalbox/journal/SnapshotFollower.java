// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.config.Setting;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SnapshotFiles;
import io.signalbox.journal.snapshot.SnapshotStore;
import io.signalbox.journal.snapshot.StateSnapshot;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Folds a journal, which may still be written, and writes a snapshot of its state every so many records. It reads the
 * journal's files as any reader does: no scheduler or writer waits for it. Not thread-safe.
 */
public final class SnapshotFollower
{
    public static final Setting<Long> EVERY = Setting.number("every", "records", 100_000, 1, Long.MAX_VALUE,
        "Records from one snapshot to the next.")
        .option("--every", "RECORDS", "Write a snapshot after so many records");
    public static final Setting<Integer> KEPT = Setting.integer("keep", "snapshots", 128, 2, 100_000,
        "Most snapshots that are kept: the newest two, the others as evenly as possible.")
        .option("--keep", "N", "Keep at most N snapshots: the newest two, the others as evenly as possible");
    public static final List<Setting<?>> SETTINGS = List.of(EVERY, KEPT);

    private final Path directory;
    private final long every;
    private final SnapshotStore store;
    private final List<String> passedOver = new ArrayList<>();
    /** Behind the last group that was folded; {@code null} before the first call. */
    private StateSnapshot last;
    private long lastWritten;
    private long written;
    private Ending ending = Ending.OPEN;
    /** Snapshots behind more records are not used: one of them contradicts the journal. */
    private long mostRecords = Long.MAX_VALUE;
    /** Of the snapshot at which the fold began; 0: at the beginning. */
    private long begunAt;

    /**
     * @param every records from one snapshot to the next, at least 1.
     * @param kept  snapshots that are kept, at least 2; the newest two are among them, the others are thinned out evenly.
     */
    public SnapshotFollower(final Path directory, final long every, final int kept)
    {
        if (every < 1 || kept < SnapshotFiles.ALWAYS_KEPT)
        {
            throw new IllegalArgumentException("a snapshot every " + every + " records, " + kept + " kept");
        }
        this.directory = directory;
        this.every = every;
        store = new SnapshotStore(directory, kept);
    }

    /**
     * Folds what the journal has beyond the last call, the first time from the newest snapshot that fits.
     *
     * @return false if the journal is still being written, so that a later call may find more.
     * @throws JournalException if the journal is damaged, or a snapshot cannot be written.
     */
    public boolean follow(final ReadProgress progress)
    {
        return follow(progress, true);
    }

    /** @param writes false: no snapshot is written, because that has just failed; a later call writes one. */
    boolean follow(final ReadProgress progress, final boolean writes)
    {
        try (JournalFold fold = open(progress))
        {
            while (fold.next())
            {
                last = fold.snapshot();
                if (writes && last.mark().place().records() - lastWritten >= every)
                {
                    write();
                }
            }
            ending = fold.reader().ending();
            return true;
        }
        catch (final JournalException e)
        {
            if (e.kind() == Kind.BEING_WRITTEN)
            {
                return false;
            }
            if (e.kind() != Kind.CORRUPT_RECORD || begunAt == 0)
            {
                throw e;
            }
        }
        // The journal or the snapshot: a fold from further ahead finds out.
        passedOver.add("the snapshot behind record " + (begunAt - 1) +
            " is passed over: the journal behind it contradicts it.");
        mostRecords = begunAt - 1;
        last = null;
        return follow(progress, writes);
    }

    private JournalFold open(final ReadProgress progress)
    {
        if (last != null)
        {
            try
            {
                return JournalFold.behind(directory, last, JournalMoment.END, progress);
            }
            catch (final UnfitSnapshotException e)
            {
                throw new JournalException(Kind.FOREIGN_FILE, directory + " is another journal than the one that was " +
                    "followed: " + e.getMessage() + "; begin again.", e);
            }
        }
        final List<SnapshotFiles.Named> newestFirst = new ArrayList<>(store.oldestFirst());
        Collections.reverse(newestFirst);
        newestFirst.removeIf(named -> named.records() > mostRecords);
        for (final SnapshotFiles.Named named : newestFirst)
        {
            try
            {
                final JournalFold fold =
                    JournalFold.behind(directory, SnapshotStore.read(named), JournalMoment.END, progress);
                lastWritten = named.records();
                begunAt = lastWritten;
                return fold;
            }
            catch (final UnfitSnapshotException e)
            {
                passedOver.add(named.file() + " is passed over: " + e.getMessage() + ".");
            }
        }
        begunAt = 0;
        lastWritten = 0;
        return JournalFold.fromStart(directory, JournalMoment.END, progress);
    }

    private void write()
    {
        store.write(last);
        lastWritten = last.mark().place().records();
        written++;
        store.thinOut();
    }

    /** Writes a snapshot behind the last group that was folded, unless there is one. */
    public void conclude()
    {
        if (last != null && last.mark().place().records() != lastWritten)
        {
            write();
        }
    }

    /** Snapshots that were written. */
    public long written()
    {
        return written;
    }

    /** Records of the journal that are folded. */
    public long records()
    {
        return last == null ? lastWritten : last.mark().place().records();
    }

    /** How the journal ends; OPEN before {@link #follow} has returned true. */
    public Ending ending()
    {
        return ending;
    }

    /** Snapshots that were not used, each with the reason, as sentences. */
    public List<String> passedOver()
    {
        return List.copyOf(passedOver);
    }
}
