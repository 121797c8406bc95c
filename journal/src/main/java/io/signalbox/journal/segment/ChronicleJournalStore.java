// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.files.AtomicFile;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.FileSizeLimit;
import io.signalbox.journal.disk.OwnerOnly;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.SpaceReserve;
import io.signalbox.journal.disk.StoreFault;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** Keeps each segment as a separate Chronicle Queue: {@code segment-00000/}, {@code segment-00001/} and so on. */
public final class ChronicleJournalStore implements JournalStore
{
    /** Chronicle lets a record reach a quarter of its block size into the next block, and no further. */
    private static final int OVERLAP_DIVISOR = 4;
    /** With so much free space a sealed segment is closed in another thread. */
    private static final long ROOMY_BYTES = 1L << 30;

    private final Path directory;
    private final boolean synced;
    private final long blockBytes;
    private final long reserveBytes;
    private final Set<Integer> created = new HashSet<>();
    private final SealedSegments sealed;
    /** {@code null} if no segment is expected. */
    private ExpectedSegment expected;

    /**
     * @param synced     whether {@link Segment#sync()} is to reach the device.
     * @param reserveBytes disk blocks that each segment keeps ahead of its records.
     * @param blockBytes the unit in which Chronicle maps and grows a segment's file; a power of two from 65,536.
     */
    public ChronicleJournalStore(
        final Path directory, final boolean synced, final long blockBytes, final long reserveBytes)
    {
        if (synced && !SpaceReserve.isNative())
        {
            throw new JournalException(Kind.SYNC_FAILED, "the library jnr-ffi is missing from the class path, without " +
                "which Chronicle's syncs do nothing; add it, or choose the durability PROCESS.");
        }
        this.directory = directory;
        this.synced = synced;
        this.blockBytes = blockBytes;
        this.reserveBytes = reserveBytes;
        sealed = new SealedSegments(directory, synced);
    }

    public static ChronicleJournalStore of(final Path directory, final JournalConfig config)
    {
        return new ChronicleJournalStore(
            directory, config.durability() != Durability.PROCESS, config.blockBytes(), config.reserveBytes());
    }

    @Override
    public void expect(final int number, final int largestRecordBytes)
    {
        expected = new ExpectedSegment(number, () -> createNow(number, largestRecordBytes));
    }

    @Override
    public void expectNone()
    {
        if (expected != null)
        {
            discard(expected);
        }
    }

    private void discard(final ExpectedSegment unused)
    {
        expected = null;
        if (unused.close())
        {
            remove(unused.number());
        }
    }

    @Override
    public Segment create(final int number, final int largestRecordBytes)
    {
        final ChronicleSegment begun = expected == null ? null : expected.orNull();
        if (begun == null || begun.largestRecordBytes() < largestRecordBytes)
        {
            expectNone();
            return createNow(number, largestRecordBytes);
        }
        try
        {
            begun.requireFirst(largestRecordBytes);
        }
        catch (final RuntimeException | Error e)
        {
            expectNone();
            throw e;
        }
        expected = null;
        return begun;
    }

    private ChronicleSegment createNow(final int number, final int largestRecordBytes)
    {
        final Path path = directory.resolve(SegmentName.of(number));
        try
        {
            final long block = blockFor(largestRecordBytes);
            FileSizeLimit.require(directory, block + overlap(block));
            OwnerOnly.createNewDirectory(path);
            created.add(number);
            return open(path, block, largestRecordBytes);
        }
        catch (final FileAlreadyExistsException e)
        {
            throw new JournalException(Kind.LOCK_LOST, path + " exists, and this journal's writer did not create it: " +
                "another process writes in this directory; stop it, then recover the journal.", e);
        }
        catch (final IOException e)
        {
            remove(number);
            throw StoreFault.writing("segment " + number + " cannot be created at " + path, directory, e);
        }
        catch (final RuntimeException | Error e)
        {
            remove(number);
            throw e;
        }
    }

    private ChronicleSegment open(final Path path, final long block, final int largestRecordBytes) throws IOException
    {
        final ChronicleSegment segment = ChronicleSegment.create(path, block, largestRecordBytes, reserveBytes, synced);
        try
        {
            AtomicFile.syncDirectory(path);
            AtomicFile.syncDirectory(directory);
            return segment;
        }
        catch (final IOException e)
        {
            segment.close();
            throw e;
        }
    }

    /** Removes only the files that Chronicle makes; other files stay, and so does their directory. */
    @Override
    public void remove(final int number)
    {
        if (!created.remove(number))
        {
            return;
        }
        final Path path = directory.resolve(SegmentName.of(number));
        try (DirectoryStream<Path> files = PlainFile.list(path, "*"))
        {
            for (final Path file : files)
            {
                if (ChronicleNames.isFile(file.getFileName().toString()))
                {
                    Files.delete(file);
                }
            }
            Files.delete(path);
        }
        catch (final IOException | DirectoryIteratorException e)
        {
            // A segment without a group is refused by name when the directory is used again.
            return;
        }
    }

    @Override
    public void sealed(final int number, final Segment segment, final long endPosition)
    {
        // On a disk that is nearly full the next segment needs the blocks that this one has reserved.
        final boolean isTight = usableBytes() < ROOMY_BYTES;
        if (isTight)
        {
            segment.close();
        }
        sealed.sealed(number, isTight ? () ->
        {
        } : segment::close, endPosition);
    }

    @Override
    public void finish()
    {
        if (expected != null)
        {
            // It stays, as after a kill: after a failure the directory may belong to another process.
            expected.close();
            expected = null;
        }
        sealed.finish();
    }

    @Override
    public long usableBytes()
    {
        return directory.toFile().getUsableSpace();
    }

    private long blockFor(final int largestRecordBytes)
    {
        long block = blockBytes;
        while (ChronicleSegment.largestRecordBytes(block) < largestRecordBytes)
        {
            block *= 2;
        }
        return block;
    }

    static long overlap(final long blockBytes)
    {
        return blockBytes / OVERLAP_DIVISOR;
    }
}
