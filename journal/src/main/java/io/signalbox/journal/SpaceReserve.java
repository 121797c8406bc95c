// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

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
final class SpaceReserve
{
    private static final int READ_WRITE = 2;
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int FILE_TOO_LARGE = 27;
    private static final int NO_SPACE = 28;
    private static final int NO_SUCH_CALL = 38;
    private static final int NOT_SUPPORTED = 95;
    private static final int QUOTA_EXCEEDED = 122;
    private static final long SMALLEST_STEP_BYTES = 1024 * 1024;
    private static final long SMALLEST_LAST_STEP_BYTES = 64 * 1024;
    private static final int RECORDS_PER_ATTEMPT = 64;
    private static final long LARGEST_STEP_BYTES = 64L * 1024 * 1024;

    private final Path file;
    private final int descriptor;
    private final long largestStepBytes;
    private final long aheadBytes;
    private long reservedTo;
    private boolean lastRefused;
    private boolean lastTooLarge;
    private boolean supported;
    private long lackingBytes;
    private int attemptIn;

    /** @param aheadBytes disk blocks that are kept behind the end of the file, as long as the disk has them. */
    SpaceReserve(final Path file, final long largestStepBytes, final long aheadBytes)
    {
        this.file = file;
        this.aheadBytes = aheadBytes;
        this.largestStepBytes = Math.min(LARGEST_STEP_BYTES, largestStepBytes);
        descriptor = isNative() ? PosixAPI.posix().open(file.toString(), READ_WRITE, 0) : -1;
        supported = descriptor >= 0;
    }

    /** Without the jnr-ffi library, Chronicle's POSIX calls have no effect and report nothing. */
    static boolean isNative()
    {
        return !PosixAPI.posix().getClass().getSimpleName().startsWith("NoOp");
    }

    /** Checks the free space for these bytes, and for the space that is needed before the file exists. */
    static void requireRoom(final Path directory, final long extraBytes) throws IOException
    {
        final long bytes = SMALLEST_STEP_BYTES + extraBytes;
        final long usable = Files.getFileStore(directory).getUsableSpace();
        if (usable < bytes)
        {
            throw full(directory, bytes, usable);
        }
    }

    /**
     * When this returns, every byte below {@code end} has its disk block, and the bytes behind it have theirs as far as the
     * disk has room: {@link #lackingBytes}.
     */
    void require(final long end)
    {
        final long wanted = end + aheadBytes;
        if (wanted > reservedTo && (end > reservedTo || isAttemptDue()))
        {
            extend(wanted);
            if (reservedTo < end && !reserve(end))
            {
                requireUsable(end - reservedTo, lastRefused);
                reservedTo = end;
            }
        }
        lackingBytes = supported ? Math.max(0, wanted - reservedTo) : lackingBytes;
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
        long step = Math.min(largestStepBytes, Math.max(SMALLEST_STEP_BYTES, reservedTo));
        boolean done = reserve(Math.max(wanted, reservedTo + step));
        while (!done && supported && step > SMALLEST_LAST_STEP_BYTES)
        {
            step /= 2;
            done = reserve(reservedTo + step);
        }
        if (!done && supported)
        {
            reserve(wanted);
        }
        lackingBytes = supported ? lackingBytes : Math.max(0, aheadBytes - file.toFile().getUsableSpace());
    }

    /** Bytes behind the end of what was required last that have no disk block, of those that are kept ahead. */
    long lackingBytes()
    {
        return lackingBytes;
    }

    private boolean reserve(final long end)
    {
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
            if (refused || usable < bytes)
            {
                throw full(file, bytes, usable);
            }
        }
        catch (final IOException e)
        {
            throw new JournalException(
                Kind.STORE_FAILED,
                "the free space under " + file + " cannot be read: " + StoreFault.reason(e) + "; check the disk.", e);
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
    static void releaseBehind(final Path file, final long zerosFrom)
    {
        final int descriptor = isNative() ? PosixAPI.posix().open(file.toString(), READ_WRITE, 0) : -1;
        if (descriptor < 0)
        {
            return;
        }
        final long length = file.toFile().length();
        if (length > zerosFrom)
        {
            PosixAPI.posix().fallocate(descriptor, KEEP_SIZE | PUNCH_HOLE, zerosFrom, length - zerosFrom);
        }
        // Blocks behind the length go when it is set, also to what it is.
        PosixAPI.posix().ftruncate(descriptor, length);
        PosixAPI.posix().close(descriptor);
    }

    /** Frees what was reserved beyond {@code end}, if the file system supports it. */
    void release(final long end)
    {
        if (descriptor >= 0)
        {
            if (reservedTo > end)
            {
                PosixAPI.posix().fallocate(descriptor, KEEP_SIZE | PUNCH_HOLE, end, reservedTo - end);
            }
            PosixAPI.posix().close(descriptor);
        }
    }
}
