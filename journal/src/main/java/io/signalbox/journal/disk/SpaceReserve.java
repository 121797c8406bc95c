// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import io.signalbox.files.FileFault;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import net.openhft.posix.PosixAPI;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reserves disk blocks of a file before they are written through mapped memory, because a write to mapped memory on a
 * full disk would be a fault of the whole process. If the file system cannot reserve blocks, free space is checked
 * instead; another process may then still use it up. So many blocks are kept ahead of the end that a run finishes what it
 * has begun after the disk is full.
 */
public final class SpaceReserve
{
    private static final int READ_WRITE = 2;
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    /** The library's own constant of this name has the value of SEEK_DATA. */
    private static final int SEEK_END = 2;
    private static final int FILE_TOO_LARGE = 27;
    private static final int NO_SPACE = 28;
    private static final int NO_SUCH_CALL = 38;
    private static final int NOT_SUPPORTED = 95;
    private static final int QUOTA_EXCEEDED = 122;
    private static final long SMALLEST_STEP_BYTES = 1024 * 1024;
    /**
     * Largest folio of a page cache with pages of 4 KiB. The first write to a mapped page allocates disk blocks for its
     * whole folio up to the end of the file. So if a part of a folio is not reserved, a write to the reserved part can fail.
     */
    private static final long FOLIO_BYTES = 2L * 1024 * 1024;
    /** Without reserved blocks, the metadata of the file system also takes free space. */
    private static final long METADATA_MARGIN_BYTES = 256 * 1024;
    private static final int RECORDS_PER_ATTEMPT = 64;
    private static final long LARGEST_STEP_BYTES = 64L * 1024 * 1024;

    private final Path file;
    private final int descriptor;
    private final long blockBytes;
    private final long aheadBytes;
    private long reservedTo;
    /** A failed call can leave a part of the blocks reserved. */
    private long attemptedTo;
    private boolean lastRefused;
    private boolean lastTooLarge;
    private boolean supported;
    private long lackingBytes;
    private int attemptIn;

    /**
     * @param blockBytes unit in which the file grows. It ends at most two blocks after the last byte that is written.
     * @param aheadBytes disk blocks that are kept after the end of the records, as long as the disk has them.
     */
    public SpaceReserve(final Path file, final long blockBytes, final long aheadBytes)
    {
        this.file = file;
        this.aheadBytes = aheadBytes;
        this.blockBytes = blockBytes;
        descriptor = isNative() ? PosixAPI.posix().open(file.toString(), READ_WRITE, 0) : -1;
        supported = descriptor >= 0;
    }

    /** Without the jnr-ffi library, Chronicle's POSIX calls have no effect and report nothing. */
    public static boolean isNative()
    {
        return !PosixAPI.posix().getClass().getSimpleName().startsWith("NoOp");
    }

    /** Checks the free space for these bytes, and for the space that is needed before the file exists. */
    public static void requireRoom(final Path directory, final long extraBytes) throws IOException
    {
        final long bytes = SMALLEST_STEP_BYTES + extraBytes;
        final long usable = Files.getFileStore(directory).getUsableSpace();
        if (usable < bytes)
        {
            throw full(directory, bytes, usable);
        }
    }

    /**
     * After the return, every byte before {@code end} has its disk block, and so has the rest of its folio. Later bytes
     * have disk blocks as far as the disk has room: {@link #lackingBytes}.
     */
    public void require(final long end)
    {
        final long wanted = end + aheadBytes;
        final long needed = folioEnd(end);
        if (wanted > reservedTo && (needed > reservedTo || isAttemptDue()))
        {
            extend(wanted);
            if (reservedTo < needed && !reserve(needed))
            {
                requireUsable(needed - reservedTo, lastRefused);
                reservedTo = needed;
            }
        }
        lackingBytes = supported ? Math.max(0, wanted - reservedTo) : lackingBytes;
    }

    /** End of the last folio that a write before {@code end} can touch; no folio reaches past the end of the file. */
    private long folioEnd(final long end)
    {
        return Math.min(multiple(end, FOLIO_BYTES), multiple(end, blockBytes) + 2 * blockBytes);
    }

    private static long multiple(final long bytes, final long unit)
    {
        return (bytes + unit - 1) / unit * unit;
    }

    /** A full disk is not asked for room at each record. */
    private boolean isAttemptDue()
    {
        attemptIn = lackingBytes == 0 || attemptIn == 0 ? RECORDS_PER_ATTEMPT : attemptIn - 1;
        return attemptIn == RECORDS_PER_ATTEMPT;
    }

    private void extend(final long wanted)
    {
        // Steps grow with the file: small journals stay small on disk, large ones reserve rarely.
        final long largestStep = Math.min(LARGEST_STEP_BYTES, blockBytes / 2);
        final long fileStep = Math.min(largestStep, Math.max(SMALLEST_STEP_BYTES, reservedTo));
        long step = Math.max(wanted - reservedTo, fileStep);
        boolean done = reserve(folioEnd(reservedTo + step));
        while (!done && supported && step > FOLIO_BYTES)
        {
            step /= 2;
            done = reserve(folioEnd(reservedTo + step));
        }
        lackingBytes = supported ? lackingBytes : Math.max(0, aheadBytes - file.toFile().getUsableSpace());
    }

    /** Bytes behind the end of what was required last that have no disk block, of those that are kept ahead. */
    public long lackingBytes()
    {
        return lackingBytes;
    }

    private boolean reserve(final long end)
    {
        attemptedTo = Math.max(attemptedTo, end);
        if (supported && PosixAPI.posix().fallocate(descriptor, KEEP_SIZE, reservedTo, end - reservedTo) == 0)
        {
            reservedTo = end;
            return true;
        }
        final int error = descriptor < 0 ? 0 : PosixAPI.posix().lastError();
        lastTooLarge = error == FILE_TOO_LARGE;
        lastRefused = error == NO_SPACE || error == QUOTA_EXCEEDED;
        supported &= error != NOT_SUPPORTED && error != NO_SUCH_CALL;
        return false;
    }

    private void requireUsable(final long bytes, final boolean refused)
    {
        if (lastTooLarge)
        {
            throw new JournalException(Kind.STORE_FAILED, file + " would exceed the file size limit of this process " +
                "(ulimit -f); raise the limit, then recover the journal.");
        }
        try
        {
            final long usable = Files.getFileStore(file).getUsableSpace();
            if (refused || usable < bytes + METADATA_MARGIN_BYTES)
            {
                throw full(file, bytes, usable);
            }
        }
        catch (final IOException e)
        {
            throw new JournalException(
                Kind.STORE_FAILED,
                "the free space under " + file + " cannot be read: " + FileFault.reason(e) + "; check the disk.", e);
        }
    }

    private static JournalException full(final Path path, final long bytes, final long usable)
    {
        return new JournalException(Kind.DISK_FULL, "the disk under " + path + " has no room for the next " + bytes +
            " bytes (" + usable + " free); free some space.");
    }

    /**
     * Frees the disk blocks that a stopped writer had reserved behind the end of its file, as far as the file system
     * supports it. No byte changes.
     *
     * @param zerosFrom position behind which every byte is zero.
     */
    public static void releaseBehind(final Path file, final long zerosFrom)
    {
        final int descriptor = isNative() ? PosixAPI.posix().open(file.toString(), READ_WRITE, 0) : -1;
        if (descriptor < 0)
        {
            return;
        }
        free(descriptor, zerosFrom, length(descriptor));
    }

    /** Frees the reserved blocks after {@code end}, if the file system supports it. The file is no longer mapped. */
    public void release(final long end)
    {
        if (descriptor >= 0)
        {
            free(descriptor, end, attemptedTo);
        }
    }

    /** Ask the open file: its name may belong to another file by now, or may be removed. */
    private static long length(final int descriptor)
    {
        return PosixAPI.posix().lseek(descriptor, 0, SEEK_END);
    }

    private static void free(final int descriptor, final long from, final long to)
    {
        if (to > from)
        {
            PosixAPI.posix().fallocate(descriptor, KEEP_SIZE | PUNCH_HOLE, from, to - from);
        }
        final long length = length(descriptor);
        if (length > 0)
        {
            // Setting the length of a file, even to the same value, frees its blocks after the end.
            PosixAPI.posix().ftruncate(descriptor, length);
        }
        PosixAPI.posix().close(descriptor);
    }
}
