// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;

import java.io.IOException;
import java.nio.file.Path;

/** Keeps each segment as one Chronicle Queue of its own: {@code segment-00000/}, {@code segment-00001/} and so on. */
final class ChronicleJournalStore implements JournalStore
{
    /** Chronicle lets a record reach a quarter of its block size into the next block, and no further. */
    private static final int OVERLAP_DIVISOR = 4;

    private final Path directory;
    private final boolean synced;
    private final long blockBytes;

    /**
     * @param synced     whether {@link Segment#sync()} is to reach the device.
     * @param blockBytes the unit in which Chronicle maps and grows a segment's file; a power of two from 65,536.
     */
    ChronicleJournalStore(final Path directory, final boolean synced, final long blockBytes)
    {
        if (synced && !SpaceReserve.isNative())
        {
            throw new JournalException(Kind.SYNC_FAILED, "the library jnr-ffi is missing from the class path, without " +
                "which Chronicle's syncs do nothing; add it, or choose the durability PROCESS.");
        }
        this.directory = directory;
        this.synced = synced;
        this.blockBytes = blockBytes;
    }

    @Override
    public Segment create(final int number, final int largestRecordBytes)
    {
        final Path path = directory.resolve(SegmentName.of(number));
        try
        {
            SpaceReserve.requireRoom(directory, largestRecordBytes);
            OwnerOnly.createDirectory(path);
            final Segment segment = ChronicleSegment.create(path, blockFor(largestRecordBytes), synced);
            OwnerOnly.syncDirectory(path);
            OwnerOnly.syncDirectory(directory);
            return segment;
        }
        catch (final IOException e)
        {
            throw FileFault.writing("segment " + number + " cannot be created at " + path, directory, e);
        }
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
