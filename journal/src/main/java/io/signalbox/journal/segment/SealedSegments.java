// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.disk.PlainFile;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The checksums of the sealed segments of a journal. While a journal is written, a second thread closes each segment that
 * was sealed, reads it once, and writes them. If that fails or the process is killed, the segment has none until the
 * next process that continues or recovers the journal has read every record.
 */
public final class SealedSegments
{
    /** The thread rests so many times as long as it has worked, because the cores have the engine's threads to run. */
    private static final int RESTS = 4;
    private static final long LONGEST_REST_NANOS = 20_000_000;

    private final Path directory;
    private final boolean synced;
    /** {@code null} until a segment is sealed: most journals have only one. */
    private ExecutorService beside;
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean isFinishing;

    /** @param synced whether bytes and checksums are to survive power loss. */
    SealedSegments(final Path directory, final boolean synced)
    {
        this.directory = directory;
        this.synced = synced;
    }

    /**
     * Has checksums written; does not wait.
     *
     * @param close runs before, in the same thread: it closes the segment's file.
     */
    void sealed(final int segment, final Runnable close, final long endPosition)
    {
        if (beside == null)
        {
            beside = Executors.newSingleThreadExecutor(task ->
            {
                final Thread thread = new Thread(task, "signalbox-journal-sums");
                thread.setDaemon(true);
                return thread;
            });
        }
        waiting.incrementAndGet();
        beside.submit(() ->
        {
            waiting.decrementAndGet();
            // If this fails, the segment has no checksums, and a check says so.
            close.run();
            write(directory, segment, endPosition, synced, rest());
        });
    }

    /** Rests each time that it is called, unless another segment waits or the journal ends. */
    private Runnable rest()
    {
        final long[] rested = {System.nanoTime()};
        return () ->
        {
            if (!isFinishing && waiting.get() == 0)
            {
                final long workedNanos = System.nanoTime() - rested[0];
                LockSupport.parkNanos(this, Math.min(LONGEST_REST_NANOS, RESTS * workedNanos));
                rested[0] = System.nanoTime();
            }
        };
    }

    /** Waits for the checksums of the segments that were sealed. */
    void finish()
    {
        if (beside == null)
        {
            return;
        }
        isFinishing = true;
        beside.shutdown();
        try
        {
            beside.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        }
        catch (final InterruptedException e)
        {
            // The thread continues, and does not keep the process.
            Thread.currentThread().interrupt();
        }
        beside = null;
    }

    /**
     * Writes the checksums that are missing, of segments whose records were read and are right.
     *
     * @param ends position behind the last record of each of these segments.
     */
    public static void writeMissing(final Path directory, final Map<Integer, Long> ends, final boolean synced)
    {
        try
        {
            AsideFile.removeParts(directory, SegmentName::isSums);
        }
        catch (final IOException e)
        {
            // No reader knows the name of such a file.
            return;
        }
        ends.forEach((segment, endPosition) ->
        {
            if (SegmentSums.readOrNull(directory, segment) == null)
            {
                write(directory, segment, endPosition, synced, () ->
                {
                });
            }
        });
    }

    private static void write(
        final Path directory, final int segment, final long endPosition, final boolean synced, final Runnable pause)
    {
        final DirectoryFiles files = DirectoryFiles.of(directory);
        try (ByteSource source = files.exists(segment) ? files.open(segment) : null)
        {
            if (source != null && source.length() >= endPosition)
            {
                if (synced)
                {
                    force(files.dataFile(segment));
                }
                SegmentSums.of(segment, source, endPosition, pause).write(directory, synced);
            }
        }
        catch (final IOException | JournalException e)
        {
            // They are redundant: a check names the segments that have none.
            return;
        }
    }

    /** Chronicle's own documents are covered too, and its syncs leave them out. */
    private static void force(final Path file) throws IOException
    {
        try (FileChannel channel = PlainFile.open(file, StandardOpenOption.WRITE))
        {
            channel.force(false);
        }
    }

    /**
     * Result of a check.
     *
     * @param segments  segments whose bytes are those that were sealed.
     * @param bytes     of their files up to the end of their seals.
     * @param unchecked segments without checksums, each as a sentence.
     */
    public record SegmentCheck(int segments, long bytes, List<String> unchecked)
    {
    }

    /**
     * Reads every byte of the segments ahead of a segment.
     *
     * @throws JournalException CORRUPT_RECORD if the bytes of one are not those that were sealed; MISSING_SEGMENT if one is
     *     missing.
     */
    public static SegmentCheck check(final Path directory, final int endSegment, final ReadProgress progress)
    {
        return check(directory, 0, endSegment, progress);
    }

    /** As the other one, from a segment on. */
    public static SegmentCheck check(
        final Path directory, final int fromSegment, final int endSegment, final ReadProgress progress)
    {
        final DirectoryFiles files = DirectoryFiles.of(directory, progress);
        final List<String> unchecked = new ArrayList<>();
        int segments = 0;
        long bytes = 0;
        for (int segment = Math.max(fromSegment, files.firstSegment()); segment < endSegment; segment++)
        {
            final SegmentSums sums = SegmentSums.readOrNull(directory, segment);
            try (ByteSource source = requireFile(directory, files, segment))
            {
                if (sums == null)
                {
                    unchecked.add(directory.resolve(SegmentName.of(segment)) + " has no checksums of its bytes, or they " +
                        "are damaged: what it has was not checked; 'signalbox replay " + directory + " --verify' reads it.");
                }
                else
                {
                    require(directory, files, segment, sums.check(source));
                    segments++;
                    bytes += sums.coveredBytes();
                }
            }
        }
        return new SegmentCheck(segments, bytes, unchecked);
    }

    private static ByteSource requireFile(final Path directory, final DirectoryFiles files, final int segment)
    {
        final ByteSource source = files.exists(segment) ? files.open(segment) : null;
        if (source == null)
        {
            throw new JournalException(Kind.MISSING_SEGMENT, directory.resolve(SegmentName.of(segment)) + " is missing, " +
                "or has no file of records; bring it back from a copy.", segment, 0, -1, null);
        }
        return source;
    }

    private static void require(
        final Path directory, final DirectoryFiles files, final int segment, final SegmentSums.Damage damage)
    {
        if (damage != null)
        {
            throw new JournalException(Kind.CORRUPT_RECORD, directory.resolve(files.name(segment)) + ", bytes " +
                damage.from() + " to " + (damage.to() - 1) + ": they are not those with which the segment was sealed; " +
                "'signalbox replay " + directory + " --verify' says which records are good; restore the file from a copy.",
                segment, damage.from(), -1, null);
        }
    }
}
