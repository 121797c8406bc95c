// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.disk.StoreFault;
import io.signalbox.journal.segment.Chain;
import io.signalbox.journal.segment.ChronicleJournalStore;
import io.signalbox.journal.segment.ChronicleLogging;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalLock;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.journal.segment.ScanMessages;
import io.signalbox.journal.segment.SealedSegments;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.journal.segment.SegmentedLog;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Closes a journal whose writer was stopped. Every record is checked first. A torn tail is copied to another file. The
 * next segment declares the cut and is sealed at once, so no byte that was written is ever changed. A closed journal
 * accepts no further group; a new run writes a new journal.
 */
public final class JournalRecovery
{
    /**
     * Result of a recovery.
     *
     * @param records     number of good records, all of which are kept; 0 if the writer was stopped before the first one.
     * @param groups      groups among them.
     * @param cutBytes    bytes of a torn tail; 0 if there was none.
     * @param cutFile     file in which these were kept aside; {@code null} if there were none.
     * @param movedAside  new place of a segment without one whole record, the first if there were several;
     *                    {@code null} if there was none.
     * @param digest      the chained hash over the records kept, as 16 hexadecimal digits.
     * @param ending      how the journal ended before; no file was touched unless it is OPEN.
     */
    public record Recovery(
        long records, long groups, long cutBytes, Path cutFile, Path movedAside, String digest, Ending ending)
    {
        /** Whether the journal was closed before, or there was none. */
        public boolean nothingToDo()
        {
            return ending.isSealed() || records == 0 && movedAside == null;
        }
    }

    private static final long SMALLEST_BLOCK_BYTES = 1L << 16;

    private JournalRecovery()
    {
    }

    /**
     * Cuts a torn tail and seals the journal. A sealed journal is left as it is. If no record was ever written, the
     * segments that were begun are moved aside, and the directory can be used again.
     *
     * @throws JournalException if the journal is damaged in a way that no crash leaves, or is being written.
     */
    public static Recovery recover(final Path directory)
    {
        return recover(directory, ReadProgress.NONE);
    }

    /** As {@link #recover(Path)}, for a recovery that a user waits for. */
    public static Recovery recover(final Path directory, final ReadProgress progress)
    {
        JvmFlags.requireToWrite();
        ChronicleLogging.start();
        try (JournalLock lock = lockExisting(directory))
        {
            final DirectoryFiles files = DirectoryFiles.of(directory, progress);
            if (files.segmentCount() == 0)
            {
                return new Recovery(0, 0, 0, null, null, Chain.text(Chain.START), Ending.OPEN);
            }
            final Map<Integer, Long> ends = new TreeMap<>();
            final ScanEnd end = scan(files, ends);
            if (end.sealed())
            {
                return recovery(end, null, null);
            }
            lock.sign();
            lock.requireHeld();
            final SetAside aside = new SetAside(directory, files);
            final Path moved = aside.emptySegments(end);
            final Path cut = aside.tornTail(end);
            SealedSegments.writeMissing(directory, ends, true);
            if (end.position().records() > 0)
            {
                lock.requireHeld();
                seal(directory, end);
            }
            return recovery(end, cut, moved);
        }
    }

    private static Recovery recovery(final ScanEnd end, final Path cut, final Path moved)
    {
        final JournalPosition position = end.position();
        final ScanEnd.Tail tail = end.tail();
        return new Recovery(position.records(), position.groups(), cut == null ? 0 : tail.cutTo() - tail.cutFrom(), cut,
            moved, Chain.text(position.chain()), end.ending());
    }

    static JournalLock lockExisting(final Path directory)
    {
        if (DirectoryFiles.of(directory).segmentCount() == 0 &&
            !Files.exists(directory.resolve(SegmentName.LOCK), LinkOption.NOFOLLOW_LINKS))
        {
            throw ScanMessages.noJournal(directory);
        }
        return JournalLock.acquireUnsigned(directory);
    }

    private static ScanEnd scan(final DirectoryFiles files, final Map<Integer, Long> ends)
    {
        try (JournalScanner scanner = JournalScanner.recovering(files))
        {
            boolean more = true;
            while (more)
            {
                more = scanner.next();
            }
            ends.putAll(scanner.progress().segmentEnds());
            return scanner.end();
        }
    }

    private static void seal(final Path directory, final ScanEnd end)
    {
        // The segment has only two short records, and the disk may be full, so the file is short.
        final long bytes = JournalConfig.SEGMENT_BYTES.defaultValue();
        final JournalConfig config = new JournalConfig(Durability.BATCH, bytes, SMALLEST_BLOCK_BYTES).withReserveBytes(0);
        final SegmentedLog log = new SegmentedLog(ChronicleJournalStore.of(directory, config), config, end.position());
        try
        {
            log.openBehind(end.segments(), end.lastRecords(), end.lastSealed());
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
