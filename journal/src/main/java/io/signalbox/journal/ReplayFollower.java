// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.JournalMark;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SchedulerSnapshot;
import io.signalbox.journal.snapshot.SchedulerStore;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Re-runs a journal, which may still be written, compares every decision, and writes a snapshot of the scheduler every so
 * many records: a later verification or engine begins there. No scheduler or writer waits for it. Not thread-safe.
 */
public final class ReplayFollower
{
    private final Path directory;
    private final long every;
    private final DpRouters routers;
    private final SchedulerStore store;
    private final List<String> passedOver = new ArrayList<>();
    private Map<String, String> settings;
    /** In the state behind {@link #mark}; {@code null} before the first call. */
    private Scheduler scheduler;
    /** Behind the last group that was confirmed; {@code null}: there is none yet. */
    private JournalMark mark;
    private long lastWritten;
    private long written;
    /** Snapshots behind more records are not used. */
    private long mostRecords = Long.MAX_VALUE;
    /** Of the snapshot at which the re-run began; 0: at the first record. */
    private long begunAt;

    /**
     * @param every   records from one snapshot to the next, at least 1; the newest two are kept.
     * @param routers those that the run may name.
     */
    public ReplayFollower(final Path directory, final long every, final DpRouters routers)
    {
        if (every < 1)
        {
            throw new IllegalArgumentException("a snapshot every " + every + " records");
        }
        this.directory = directory;
        this.every = every;
        this.routers = routers;
        store = new SchedulerStore(directory);
    }

    /**
     * Re-runs what the journal has beyond the last call, the first time from the newest snapshot that fits.
     *
     * @return false if the journal is still being written, so that a later call may find more.
     * @throws JournalException if the journal is damaged, a decision differs, or a snapshot cannot be written.
     */
    public boolean follow(final ReadProgress progress)
    {
        return follow(progress, true);
    }

    /** @param writes false: no snapshot is written, because that has just failed; a later call writes one. */
    boolean follow(final ReadProgress progress, final boolean writes)
    {
        try (JournalReader reader = open(progress))
        {
            final Difference difference = JournalVerifier.replayTo(
                reader, scheduler, Long.MAX_VALUE, (group, offset, length) -> confirmed(reader, writes)).difference();
            if (difference != null && (begunAt == 0 || JournalBeginning.isIn(directory)))
            {
                throw new JournalException(Kind.NOT_CONFIRMED, directory + ", record " + difference.sequence() +
                    " is not confirmed: it has " + difference.recorded() + ", and now " + difference.decider() +
                    " decides " + difference.recomputed() + "; see 'signalbox replay " + directory + " --verify'.");
            }
            if (difference == null)
            {
                return true;
            }
        }
        catch (final JournalException e)
        {
            if (e.kind() == Kind.BEING_WRITTEN)
            {
                return false;
            }
            throw e;
        }
        // The journal or the snapshot: a re-run of everything finds out.
        passedOver.add("the snapshot behind record " + (begunAt - 1) + " is passed over: a decision behind it differs.");
        mostRecords = 0;
        scheduler = null;
        mark = null;
        return follow(progress, writes);
    }

    private JournalReader open(final ReadProgress progress)
    {
        if (scheduler == null)
        {
            final SnapshotStart start = SnapshotStart.find(directory, mostRecords, routers, progress);
            passedOver.addAll(start.passedOver());
            scheduler = start.scheduler();
            settings = start.reader().settings();
            mark = start.mark();
            lastWritten = start.records();
            begunAt = lastWritten;
            return start.reader();
        }
        if (mark == null)
        {
            return JournalReader.open(directory, progress);
        }
        try
        {
            return JournalReader.behind(directory, mark, settings, progress);
        }
        catch (final UnfitSnapshotException e)
        {
            throw new JournalException(Kind.FOREIGN_FILE, directory + " is another journal than the one that was " +
                "followed: " + e.getMessage() + "; begin again.", e);
        }
    }

    private void confirmed(final JournalReader reader, final boolean writes)
    {
        mark = reader.mark();
        if (writes && mark.place().records() - lastWritten >= every)
        {
            write();
        }
    }

    private void write()
    {
        store.write(new SchedulerSnapshot(settings, mark, scheduler));
        lastWritten = mark.place().records();
        written++;
        store.thinOut();
    }

    /** Writes a snapshot behind the last group that was confirmed, unless there is one. */
    public void conclude()
    {
        if (mark != null && mark.place().records() != lastWritten)
        {
            write();
        }
    }

    /** Snapshots that were written. */
    public long written()
    {
        return written;
    }

    /** Records of the journal that are confirmed. */
    public long records()
    {
        return mark == null ? lastWritten : mark.place().records();
    }

    /** Snapshots that were not used, each with the reason, as sentences. */
    public List<String> passedOver()
    {
        return List.copyOf(passedOver);
    }
}
