// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.GroupListener;
import io.signalbox.engine.RecordedRun;
import io.signalbox.engine.ReplayTarget;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.JournalLock;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.SealedSegments;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SchedulerSnapshot;
import io.signalbox.journal.snapshot.SchedulerStore;
import io.signalbox.journal.snapshot.SnapshotFiles.Named;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A run that an earlier engine left, with the lock of its directory. */
final class ContinuedRun implements RecordedRun
{
    private final Path directory;
    private final JournalLock lock;
    private final DirectoryFiles files;
    private final JournalReader reader;
    private final JournalConfig writing;
    private final ReadProgress progress;
    /** Begins what is done beside the writer. */
    private final Consumer<JournalWriter> keepUp;
    private long lastTimeNanos;
    /** Of the snapshot behind which inputs are applied; 0: all of them are. */
    private long begunAt;
    private boolean handedOver;

    ContinuedRun(
        final Path directory,
        final JournalLock lock,
        final DirectoryFiles files,
        final JournalReader reader,
        final JournalConfig config,
        final ReadProgress progress,
        final Consumer<JournalWriter> keepUp)
    {
        this.directory = directory;
        this.lock = lock;
        this.files = files;
        this.reader = reader;
        writing = config;
        this.progress = progress;
        this.keepUp = keepUp;
    }

    /** Every record is read and checked; inputs ahead of the newest snapshot that fits are not applied again. */
    @Override
    public void replayInto(final SchedulerConfig config, final ReplayTarget target)
    {
        final SchedulerConfig scheduler = config.begunAs(reader.settings());
        final List<String> passedOver = new ArrayList<>();
        final SchedulerSnapshot snapshot = newestSnapshot(scheduler, passedOver);
        final JournalBeginning beginning = files.beginning();
        if (snapshot == null && beginning != null)
        {
            throw SnapshotStart.withoutSnapshot(directory, beginning, passedOver);
        }
        if (snapshot == null)
        {
            RecordedRun.super.replayInto(scheduler, target);
            return;
        }
        if (beginning != null)
        {
            EarlierGroups.of(beginning, target);
        }
        begunAt = snapshot.mark().place().records();
        while (reader.sequence() < begunAt - 1 && reader.next())
        {
            lastTimeNanos = reader.timeNanos();
            target.onGroup(reader.group(), 0, reader.groupLength());
        }
        if (reader.end() != null || !reader.mark().equals(snapshot.mark()))
        {
            throw new JournalException(Kind.FOREIGN_FILE, directory + " cannot be continued: record " + (begunAt - 1) +
                " is not the one that a snapshot was taken behind; remove " + directory.resolve(SegmentName.SNAPSHOTS) +
                ", and everything is replayed.");
        }
        target.begin(snapshot.scheduler());
        replay(snapshot.scheduler(), target);
    }

    /** {@code null} if none fits. */
    private SchedulerSnapshot newestSnapshot(final SchedulerConfig scheduler, final List<String> passedOver)
    {
        for (final Named named : new SchedulerStore(directory).newestFirst())
        {
            try
            {
                final SchedulerSnapshot snapshot = SchedulerStore.read(named, settings -> scheduler);
                if (!snapshot.settings().equals(reader.settings()))
                {
                    throw new UnfitSnapshotException("it is of a run with other settings");
                }
                // A record that is not there, or not the same: before anything of the run is used.
                JournalScanner.resuming(DirectoryFiles.of(directory), snapshot.mark()).close();
                return snapshot;
            }
            catch (final UnfitSnapshotException e)
            {
                passedOver.add(named.file() + " is passed over: " + e.getMessage() + ".");
                progress.onPassedOver(passedOver.get(passedOver.size() - 1));
            }
        }
        return null;
    }

    @Override
    public void replay(final Scheduler scheduler, final GroupListener follower)
    {
        final GroupSource groups = ReadAhead.of(reader);
        final Difference difference;
        try
        {
            difference = JournalVerifier.replayTo(groups, scheduler, Long.MAX_VALUE, (group, offset, length) ->
            {
                lastTimeNanos = groups.timeNanos();
                follower.onGroup(group, offset, length);
            }).difference();
        }
        finally
        {
            groups.stop();
        }
        if (difference != null)
        {
            throw refusal(difference);
        }
        final DpRouterProvider router = scheduler.router();
        if (scheduler.routerVersion() > router.version())
        {
            throw new ConfigException(directory + " cannot be continued: version " + scheduler.routerVersion() +
                " of the router " + router.label() + " decided last, and version " + router.version() +
                " is installed; start an engine with version " + scheduler.routerVersion() + " or a later one.");
        }
    }

    private JournalException refusal(final Difference difference)
    {
        final String found = difference.thrown() ?
            difference.recomputed() + "; 'signalbox replay " + directory + " --void " + difference.sequence() +
                "' leaves that input out" :
            "record " + difference.sequence() + " has " + difference.recorded() + ", and now " + difference.decider() +
                " decides " + difference.recomputed();
        return new JournalException(Kind.NOT_CONFIRMED, directory + " cannot be continued: " + found +
            "; start the program that wrote it, or see 'signalbox replay " + directory + " --verify'." +
            (begunAt == 0 || files.beginning() != null ? "" : " The replay began at a snapshot; without " +
            directory.resolve(SegmentName.SNAPSHOTS) + " it begins at the first record."));
    }

    @Override
    public long groups()
    {
        return reader.groups();
    }

    @Override
    public long lastTimeNanos()
    {
        return lastTimeNanos;
    }

    /** Until here no byte of the journal was changed. */
    @Override
    public GroupJournal journal()
    {
        if (reader.end() == null)
        {
            throw new InvariantViolation("the journal " + directory + " is continued before it was replayed to its end");
        }
        lock.requireHeld();
        final SetAside aside = new SetAside(directory, files);
        aside.emptySegments(reader.end());
        aside.tornTail(reader.end());
        SealedSegments.writeMissing(directory, reader.segmentEnds(), writing.durability() != Durability.PROCESS);
        lock.requireHeld();
        final JournalWriter writer = JournalWriter.behind(directory, lock, reader, lastTimeNanos, aside, writing);
        handedOver = true;
        try
        {
            reader.close();
            keepUp.accept(writer);
        }
        catch (final RuntimeException | Error e)
        {
            writer.close();
            throw e;
        }
        return writer;
    }

    @Override
    public void close()
    {
        if (!handedOver)
        {
            reader.close();
            lock.close();
        }
    }
}
