// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.engine.GroupListener;
import io.signalbox.event.RecordWriter;
import io.signalbox.journal.disk.StoreFault;
import io.signalbox.journal.segment.ChronicleJournalStore;
import io.signalbox.journal.segment.ChronicleLogging;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalLock;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.RecordType;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.journal.segment.SegmentedLog;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.segment.VoidRecords;
import io.signalbox.journal.snapshot.SchedulerSnapshot;
import io.signalbox.journal.snapshot.SchedulerStore;
import io.signalbox.journal.snapshot.SnapshotFiles.Named;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Declares an input of a journal void because no replay can apply it. Only an input that throws may be void, and only if the
 * groups behind it are decided as recorded without it. The declaration is a record of the journal: nothing is changed that
 * was written.
 */
public final class InputVoiding
{
    private static final GroupListener NOBODY = (group, offset, length) -> { };

    private final Path directory;
    private final long record;
    private final DpRouters routers;
    private final Function<SchedulerConfig, Scheduler> factory;
    private final ReadProgress progress;

    private InputVoiding(
        final Path directory,
        final long record,
        final DpRouters routers,
        final Function<SchedulerConfig, Scheduler> factory,
        final ReadProgress progress)
    {
        this.directory = directory;
        this.record = record;
        this.routers = routers;
        this.factory = factory;
        this.progress = progress;
    }

    /**
     * Voids the input of the group that is this record. The journal is closed afterwards.
     *
     * @param factory makes schedulers; {@code Scheduler::new}.
     * @throws ConfigException  if there is no such input, it does not throw, an earlier one does, or it is void already.
     * @throws JournalException if the journal is damaged or being written; NOT_CONFIRMED if a group behind the input depends
     *     on it.
     */
    public static VoidedInput apply(
        final Path directory,
        final long record,
        final DpRouters routers,
        final Function<SchedulerConfig, Scheduler> factory,
        final ReadProgress progress)
    {
        JvmFlags.requireToWrite();
        ChronicleLogging.start();
        return new InputVoiding(directory, record, routers, factory, progress).apply();
    }

    private VoidedInput apply()
    {
        try (JournalLock lock = JournalRecovery.lockExisting(directory))
        {
            lock.sign();
            final DirectoryFiles files = DirectoryFiles.of(directory, progress);
            final VoidedInput input;
            final long chain;
            try (JournalReader reader = JournalReader.recovering(files))
            {
                input = inputThatThrows(reader, scheduler(files, reader));
                chain = reader.chain();
            }
            try (JournalReader reader = JournalReader.recovering(files, input, chain))
            {
                requireIndependent(reader, scheduler(files, reader));
                append(lock, files, reader.end(), input, chain);
            }
            return input;
        }
    }

    /**
     * A scheduler in the state ahead of the reader's next group. If old segments were removed, that is the newest snapshot
     * ahead of the record; the reader is moved behind it.
     */
    private Scheduler scheduler(final DirectoryFiles files, final JournalReader reader)
    {
        if (files.beginning() == null)
        {
            return factory.apply(reader.config(routers));
        }
        final List<String> passedOver = new ArrayList<>();
        boolean isBehindRecord = false;
        for (final Named named : new SchedulerStore(directory).newestFirst())
        {
            if (named.records() > record)
            {
                isBehindRecord = true;
                continue;
            }
            try
            {
                final SchedulerSnapshot snapshot = SchedulerStore.read(named, routers);
                JournalScanner.resuming(DirectoryFiles.of(directory), snapshot.mark()).close();
                moveTo(reader, named.records());
                return snapshot.scheduler();
            }
            catch (final UnfitSnapshotException e)
            {
                passedOver.add(named.file() + " is passed over: " + e.getMessage() + ".");
            }
        }
        if (isBehindRecord)
        {
            throw new ConfigException(name() + " was replayed when a snapshot behind it was written, and only an input " +
                "that cannot be replayed may be void; leave --void out.");
        }
        throw SnapshotStart.withoutSnapshot(directory, files.beginning(), passedOver);
    }

    private static void moveTo(final JournalReader reader, final long records)
    {
        while (reader.records() < records && reader.next())
        {
            // The groups ahead of the snapshot were applied when it was written.
            continue;
        }
    }

    private VoidedInput inputThatThrows(final JournalReader reader, final Scheduler scheduler)
    {
        if (reader.voided().stream().anyMatch(input -> input.record() == record))
        {
            throw new ConfigException(name() + " is void already; leave --void out.");
        }
        final Verification run = JournalVerifier.replayTo(reader, scheduler, record, NOBODY);
        final Difference difference = run.difference();
        if (difference == null)
        {
            throw new ConfigException(run.records() <= record || record < 0 ?
                name() + " does not exist, the last record is " + (run.records() - 1) +
                    "; give the record that a replay names." :
                name() + (reader.sequence() == record && record > 0 ? " can be replayed" : " is no input") +
                    ", and only an input that cannot be replayed may be void; leave --void out.");
        }
        if (!difference.thrown() || difference.sequence() != record)
        {
            throw new ConfigException(name() + " cannot be void, because record " + difference.sequence() + " ahead of it " +
                (difference.thrown() ? "cannot be replayed; void that one first." :
                    "is decided otherwise now; start the program that wrote the journal."));
        }
        return new VoidedInput(record, difference.recomputed());
    }

    private String name()
    {
        return "record " + record + " of " + directory;
    }

    private void requireIndependent(final JournalReader reader, final Scheduler scheduler)
    {
        final Difference difference =
            JournalVerifier.replayTo(reader, scheduler, Long.MAX_VALUE, NOBODY).difference();
        if (difference != null && !difference.thrown())
        {
            throw new JournalException(JournalException.Kind.NOT_CONFIRMED, name() + " cannot be void: record " +
                difference.sequence() + " depends on it, it has " + difference.recorded() +
                " and without it the scheduler decides " + difference.recomputed() + "; start the program that wrote the " +
                "journal.");
        }
        boolean more = difference != null;
        while (more)
        {
            // A later input that throws may be voided next; the end must be known nevertheless.
            more = reader.next();
        }
    }

    private void append(
        final JournalLock lock, final DirectoryFiles files, final ScanEnd end, final VoidedInput input, final long chain)
    {
        lock.requireHeld();
        final SetAside aside = new SetAside(directory, files);
        aside.emptySegments(end);
        aside.tornTail(end);
        lock.requireHeld();
        final JournalConfig config = JournalConfig.of(Durability.BATCH);
        final SegmentedLog log = new SegmentedLog(ChronicleJournalStore.of(directory, config), config, end.position());
        final RecordWriter declaration = VoidRecords.encode(input, chain);
        try
        {
            log.openBehind(end.segments(), end.lastRecords(), end.lastSealed());
            log.append(RecordType.VOID, 0, declaration.buffer(), 0, declaration.length());
            log.seal(Ending.RECOVERED);
        }
        catch (final RuntimeException | InternalError e)
        {
            log.abandon();
            log.removeSegments();
            throw StoreFault.storing(directory, e);
        }
        log.abandon();
    }
}
