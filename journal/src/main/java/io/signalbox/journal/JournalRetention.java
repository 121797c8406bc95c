// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.files.AtomicFile;
import io.signalbox.files.RealPath;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.UpkeepListener.Removal;
import io.signalbox.journal.disk.FileHoles;
import io.signalbox.journal.disk.OwnerOnly;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.Removing;
import io.signalbox.journal.disk.StoreFault;
import io.signalbox.journal.segment.AsideFile;
import io.signalbox.journal.segment.ChronicleNames;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.JournalMark;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.OpenScans;
import io.signalbox.journal.segment.ScanMessages;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SchedulerStore;
import io.signalbox.journal.snapshot.SnapshotFiles.Named;
import io.signalbox.journal.snapshot.SnapshotFiles;
import io.signalbox.journal.snapshot.SnapshotStore;
import io.signalbox.router.DpRouters;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Removes the oldest segments of a journal, which may be written meanwhile. It stays behind the older of two snapshots of
 * the scheduler, and of two of the folded state, that this very program can use; behind the Submit of each request that an
 * engine which continues the run needs; and behind the scans of this process. First the place where the journal begins from
 * then on is written, durably, and then the segments go, the oldest first: a reader finds a whole journal at any moment.
 */
public final class JournalRetention
{
    /** The largest ring of groups of an engine: a client may not have seen the ends of so many. */
    static final long UNSEEN_GROUPS = 1L << 20;
    /**
     * Journals of which this process removes segments. A second channel of the lock, when it is closed, would release the
     * lock that the first one has.
     */
    private static final Set<Path> AT_WORK = new HashSet<>();

    private final Path directory;
    private final RetentionLimits limits;
    private final DpRouters routers;
    private final ReadProgress progress;
    private final long unseenGroups;
    private final List<String> notes = new ArrayList<>();
    private Removal last;

    JournalRetention(
        final Path directory,
        final RetentionLimits limits,
        final DpRouters routers,
        final ReadProgress progress,
        final long unseenGroups)
    {
        this.directory = directory;
        this.limits = limits;
        this.routers = routers;
        this.progress = progress;
        this.unseenGroups = unseenGroups;
    }

    /**
     * Removes what is too much and may go.
     *
     * @param routers those that the run may name.
     * @throws JournalException if the journal is damaged in what is to be removed; LOCKED if another process removes
     *     segments; ACCESS_DENIED or STORE_FAILED if files cannot be written or removed: a later call continues.
     */
    public static Removal apply(
        final Path directory, final RetentionLimits limits, final DpRouters routers, final ReadProgress progress)
    {
        return new JournalRetention(directory, limits, routers, progress, UNSEEN_GROUPS).apply();
    }

    /**
     * Sequence number of the first record that a journal has; 0 if none was removed.
     *
     * @throws JournalException if the directory has no journal, or its files that name the first segment are damaged.
     */
    public static long firstRecord(final Path directory)
    {
        final JournalBeginning beginning = DirectoryFiles.of(directory).beginning();
        return beginning == null ? 0 : beginning.start().place().records();
    }

    /** The segments that went, also if {@link #apply()} has failed because one stays; null if it failed ahead of that. */
    Removal last()
    {
        return last;
    }

    Removal apply()
    {
        final DirectoryFiles files = DirectoryFiles.of(directory);
        if (files.segmentCount() == 0)
        {
            throw ScanMessages.noJournal(directory);
        }
        final int firstKept = firstWanted(files);
        if (firstKept == files.firstSegment() && leftovers(firstKept).isEmpty() && oldSums(firstKept).isEmpty())
        {
            return removal(0, 0, files.beginning());
        }
        final Path journal = RealPath.of(directory);
        if (!begin(journal))
        {
            throw locked("another thread of this process");
        }
        try (FileChannel channel = OwnerOnly.open(directory.resolve(JournalBeginning.LOCK)); FileLock lock = lock(channel))
        {
            if (lock == null)
            {
                throw locked("another process");
            }
            return applyLocked();
        }
        catch (final IOException e)
        {
            throw StoreFault.writing("old segments of " + directory + " cannot be removed", directory, e);
        }
        finally
        {
            end(journal);
        }
    }

    private JournalException locked(final String holder)
    {
        return new JournalException(
            Kind.LOCKED, holder + " removes segments of " + directory + "; wait until it has ended.");
    }

    private static boolean begin(final Path journal)
    {
        synchronized (AT_WORK)
        {
            return AT_WORK.add(journal);
        }
    }

    private static void end(final Path journal)
    {
        synchronized (AT_WORK)
        {
            AT_WORK.remove(journal);
        }
    }

    private static FileLock lock(final FileChannel channel) throws IOException
    {
        try
        {
            return channel.tryLock();
        }
        catch (final OverlappingFileLockException e)
        {
            return null;
        }
    }

    /** Another process may have removed segments until the lock was taken. */
    private Removal applyLocked() throws IOException
    {
        AsideFile.removeParts(directory, JournalBeginning::isName);
        final DirectoryFiles files = DirectoryFiles.of(directory);
        final int wanted = firstWanted(files);
        final JournalBeginning further = wanted == files.firstSegment() ? null : beginning(files, wanted);
        final JournalBeginning valid = further == null ? files.beginning() : further;
        if (valid == null)
        {
            return removal(0, 0, null);
        }
        requireOwnFiles(valid.start().segment());
        // Also if it is there: a process that was stopped may have written only one of its files.
        valid.write(directory);
        return removeAhead(valid);
    }

    /** The journal begins at this place: whatever is ahead of it may go in any order, and what stays is ignored. */
    private Removal removeAhead(final JournalBeginning beginning) throws IOException
    {
        final Removing removing = new Removing(directory);
        int segments = 0;
        long bytes = 0;
        for (final Path segment : leftovers(beginning.start().segment()))
        {
            bytes += remove(segment, removing);
            segments += Files.exists(segment, LinkOption.NOFOLLOW_LINKS) ? 0 : 1;
        }
        oldSums(beginning.start().segment()).forEach(removing::remove);
        AtomicFile.syncDirectory(directory);
        new SnapshotStore(directory, Integer.MAX_VALUE).removeUpTo(beginning.start().place().records(), removing);
        last = removal(segments, bytes, beginning);
        removing.requireDone();
        return last;
    }

    private Removal removal(final int segments, final long bytes, final JournalBeginning beginning)
    {
        return new Removal(segments, bytes, beginning == null ? 0 : beginning.start().place().records(), List.copyOf(notes));
    }

    /** The first segment that is kept by the limits alone; the last one always is. */
    private int firstWanted(final DirectoryFiles files)
    {
        final Instant now = Instant.now();
        long bytes = 0;
        final int last = files.segmentCount() - 1;
        for (int segment = last; segment >= files.firstSegment(); segment--)
        {
            final Path file = files.exists(segment) ? files.dataFile(segment) : null;
            try
            {
                bytes += file == null ? 0 : FileHoles.dataBytes(file, Files.size(file));
                final boolean isTooOld = file != null && limits.mostAge() != null &&
                    Files.getLastModifiedTime(file).toInstant().plus(limits.mostAge()).isBefore(now);
                if (segment < last && (bytes > limits.mostBytes() || last - segment >= limits.mostSegments() || isTooOld))
                {
                    return segment + 1;
                }
            }
            catch (final IOException e)
            {
                throw StoreFault.reading(file, e);
            }
        }
        return files.firstSegment();
    }

    /** A later beginning of the journal, at most at the wanted segment; {@code null}: there is none. */
    private JournalBeginning beginning(final DirectoryFiles files, final int wanted)
    {
        final List<JournalMark> marks = usableSnapshots();
        if (marks == null)
        {
            return null;
        }
        int newest = wanted;
        for (final JournalMark mark : marks)
        {
            newest = atMost(newest, mark.segment(), "the older of two snapshots needs it");
        }
        newest = atMost(newest, OpenScans.oldestSegment(directory), "a reader of this process is there");
        final NeededRequests needed = newest > files.firstSegment() ? needed(files, marks.get(0).place(), newest) : null;
        if (needed == null)
        {
            return null;
        }
        final NeededRequests.Need need = needed.oldest();
        newest = atMost(newest, need.segment(), need.reason());
        final JournalBeginning found = needed.atMost(newest);
        return found == null || found.start().segment() <= files.firstSegment() ? null : found;
    }

    private int atMost(final int newest, final int bound, final String reason)
    {
        if (bound < newest)
        {
            notes.add(SegmentName.of(bound) + " and newer ones stay: " + reason + ".");
        }
        return Math.min(newest, bound);
    }

    /** Of the older of two snapshots of the scheduler, and of the folded state; {@code null} if there are fewer. */
    private List<JournalMark> usableSnapshots()
    {
        final List<JournalMark> schedulers = new ArrayList<>();
        for (final Named named : new SchedulerStore(directory).newestFirst())
        {
            use(named, schedulers, () -> SchedulerStore.read(named, routers).mark());
        }
        final List<JournalMark> states = new ArrayList<>();
        for (final Named named : new SnapshotStore(directory, Integer.MAX_VALUE).newestFirst())
        {
            if (states.size() < SnapshotFiles.ALWAYS_KEPT)
            {
                use(named, states, () -> SnapshotStore.read(named).mark());
            }
        }
        if (schedulers.size() < SnapshotFiles.ALWAYS_KEPT || states.size() < SnapshotFiles.ALWAYS_KEPT)
        {
            notes.add("No segment goes: that needs two snapshots of the scheduler and two of the folded state that this " +
                "program can use, and there are " + schedulers.size() + " and " + states.size() + "; 'signalbox snapshot " +
                directory + " --scheduler' writes them.");
            return null;
        }
        return List.of(schedulers.get(SnapshotFiles.ALWAYS_KEPT - 1), states.get(SnapshotFiles.ALWAYS_KEPT - 1));
    }

    /** Reads a snapshot to its last byte. */
    private interface SnapshotReading
    {
        JournalMark mark();
    }

    private void use(final Named named, final List<JournalMark> usable, final SnapshotReading reading)
    {
        try
        {
            final JournalMark mark = reading.mark();
            JournalScanner.resuming(DirectoryFiles.of(directory), mark).close();
            usable.add(mark);
        }
        catch (final UnfitSnapshotException e)
        {
            notes.add(named.file() + " cannot be used: " + e.getMessage() + ".");
        }
    }

    /** Reads every record that may go, which must be whole, and on until the requests that began there have ended. */
    private NeededRequests needed(final DirectoryFiles files, final JournalPosition snapshot, final int newest)
    {
        final long begun = files.beginning() == null ? RunDirectories.begunWallNanos(directory) :
            files.beginning().begunWallNanos();
        try (JournalReader reader = JournalReader.openKept(directory, progress))
        {
            final NeededRequests needed = new NeededRequests(
                reader, files.beginning(), newest, snapshot.groups() - unseenGroups, begun);
            while (reader.records() < snapshot.records() && !needed.isSettled() && reader.next())
            {
                needed.onGroup(reader);
            }
            return needed;
        }
    }

    /** Directories of segments ahead of this one, the oldest first. */
    private List<Path> leftovers(final int firstKept)
    {
        final TreeMap<Integer, Path> found = new TreeMap<>();
        for (final Path entry : entries())
        {
            final int number = SegmentName.number(entry.getFileName().toString());
            if (number >= 0 && number < firstKept && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))
            {
                found.put(number, entry);
            }
        }
        return List.copyOf(found.values());
    }

    private void requireOwnFiles(final int firstKept) throws IOException
    {
        for (final Path segment : leftovers(firstKept))
        {
            for (final Path file : files(segment))
            {
                if (!ChronicleNames.isFile(file.getFileName().toString()) ||
                    !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                {
                    throw new JournalException(Kind.FOREIGN_FILE, segment + " is not removed: it holds " +
                        file.getFileName() + ", which is no file of a segment; take that file away.");
                }
            }
        }
    }

    private static List<Path> files(final Path segment) throws IOException
    {
        final List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = PlainFile.list(segment, "*"))
        {
            entries.forEach(found::add);
        }
        catch (final DirectoryIteratorException e)
        {
            throw e.getCause();
        }
        return found;
    }

    /** Returns the bytes that are free now. */
    private static long remove(final Path segment, final Removing removing)
    {
        long bytes = 0;
        try
        {
            for (final Path file : files(segment))
            {
                final long size = FileHoles.dataBytes(file, Files.size(file));
                bytes += removing.remove(file) ? size : 0;
            }
            removing.remove(segment);
        }
        catch (final NoSuchFileException e)
        {
            // Somebody has removed it meanwhile.
            return bytes;
        }
        catch (final IOException e)
        {
            removing.failed(segment, e);
        }
        return bytes;
    }

    /** Checksums of segments ahead of this one. */
    private List<Path> oldSums(final int firstKept)
    {
        final List<Path> found = new ArrayList<>();
        for (final Path entry : entries())
        {
            final String name = entry.getFileName().toString();
            if (SegmentName.isSums(name) && SegmentName.number(name.substring(0, name.indexOf('.'))) < firstKept)
            {
                found.add(entry);
            }
        }
        return found;
    }

    private List<Path> entries()
    {
        try
        {
            return files(directory);
        }
        catch (final IOException e)
        {
            throw StoreFault.reading(directory, e);
        }
    }
}
