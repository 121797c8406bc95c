// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import java.nio.file.Path;

/**
 * A lock on a directory itself, held by the operating system. It belongs to the directory's inode, so it survives the
 * removal of every file in it, and a process cannot lose it by opening and closing a file.
 */
public final class DirectoryLock implements AutoCloseable
{
    /** Outcome of an attempt. */
    public enum Attempt
    {
        TAKEN,
        HELD_ELSEWHERE,
        /** This system or file system cannot lock directories. */
        UNAVAILABLE
    }

    private final Attempt attempt;
    private final int descriptor;

    private DirectoryLock(final Attempt attempt, final int descriptor)
    {
        this.attempt = attempt;
        this.descriptor = descriptor;
    }

    /** Tries to take the lock for a writer; never waits. */
    public static DirectoryLock exclusive(final Path directory)
    {
        return tryLock(directory, LibC.LOCK_EXCLUSIVE);
    }

    /** Whether a writer holds the lock now. */
    public static boolean isHeld(final Path directory)
    {
        try (DirectoryLock lock = tryLock(directory, LibC.LOCK_SHARED))
        {
            return lock.attempt == Attempt.HELD_ELSEWHERE;
        }
    }

    private static DirectoryLock tryLock(final Path directory, final int operation)
    {
        final LibC library = LibC.orNull();
        final int descriptor =
            library == null ? -1 : library.calls().open(directory.toString(), LibC.OPEN_TO_READ, 0);
        if (descriptor < 0)
        {
            return new DirectoryLock(Attempt.UNAVAILABLE, -1);
        }
        if (library.calls().flock(descriptor, operation | LibC.LOCK_DO_NOT_WAIT) == 0)
        {
            return new DirectoryLock(Attempt.TAKEN, descriptor);
        }
        final boolean held = library.lastError() == LibC.WOULD_BLOCK;
        library.calls().close(descriptor);
        return new DirectoryLock(held ? Attempt.HELD_ELSEWHERE : Attempt.UNAVAILABLE, -1);
    }

    public Attempt attempt()
    {
        return attempt;
    }

    @Override
    public void close()
    {
        if (descriptor >= 0)
        {
            LibC.orNull().calls().close(descriptor);
        }
    }
}
