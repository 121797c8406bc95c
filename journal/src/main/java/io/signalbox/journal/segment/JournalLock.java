// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.files.FileFault;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.DirectoryLock;
import io.signalbox.journal.disk.FileIdentity;
import io.signalbox.journal.disk.OwnerOnly;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.StoreFault;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * One writer per directory. The operating system holds two locks for it and releases both with its process: one on the
 * directory itself and one on the file {@code lock}. The presence of that file has no meaning. A writer also checks
 * periodically that both paths still name the locked directory and file.
 */
public final class JournalLock implements AutoCloseable
{
    private static final int MAX_PID_CHARACTERS = 20;
    private static final int OPEN_ATTEMPTS = 100;
    /**
     * Directories that this process has locked, by identity, and the monitor of every access to a lock. On POSIX systems,
     * closing any channel of a file releases the process's locks on it, so a file locked here must never be opened again.
     */
    private static final Set<Object> HELD_HERE = new HashSet<>();

    private final Path directory;
    private final Object identity;
    private final Path file;
    private final Object fileIdentity;
    private final FileChannel channel;
    private final DirectoryLock directoryLock;
    private final boolean createdFile;

    private JournalLock(
        final Path directory, final Object identity, final LockFile locked, final DirectoryLock directoryLock)
    {
        this.directory = directory;
        this.identity = identity;
        file = lockFile(directory);
        fileIdentity = locked.identity;
        channel = locked.channel;
        createdFile = locked.created;
        this.directoryLock = directoryLock;
    }

    /** Takes the lock of an existing directory, and writes nothing into it but the file {@code lock}. */
    public static JournalLock acquireUnsigned(final Path directory)
    {
        synchronized (HELD_HERE)
        {
            try
            {
                final Object identity = FileIdentity.of(directory.toRealPath());
                if (HELD_HERE.contains(identity))
                {
                    throw locked(directory, named(ProcessHandle.current().pid()));
                }
                final DirectoryLock directoryLock = DirectoryLock.exclusive(directory);
                try
                {
                    final JournalLock lock = acquire(directory, identity, directoryLock);
                    HELD_HERE.add(identity);
                    return lock;
                }
                catch (final IOException | RuntimeException | Error e)
                {
                    directoryLock.close();
                    throw e;
                }
            }
            catch (final IOException e)
            {
                throw untaken(directory, e);
            }
        }
    }

    private static JournalLock acquire(
        final Path directory, final Object identity, final DirectoryLock directoryLock) throws IOException
    {
        if (directoryLock.attempt() == DirectoryLock.Attempt.HELD_ELSEWHERE)
        {
            throw locked(directory, signature(lockFile(directory)));
        }
        final LockFile locked = LockFile.take(directory);
        final JournalLock lock = new JournalLock(directory, identity, locked, directoryLock);
        try
        {
            lock.requireHeld();
            return lock;
        }
        catch (final RuntimeException | Error e)
        {
            locked.channel.close();
            throw e;
        }
    }

    /** The file {@code lock}, opened and locked; the path named this very file before and after. */
    private record LockFile(FileChannel channel, Object identity, boolean created)
    {
        private static LockFile take(final Path directory) throws IOException
        {
            final Path file = lockFile(directory);
            for (int i = 0; i < OPEN_ATTEMPTS; i++)
            {
                final boolean created = create(file);
                final Object before = FileIdentity.ofRegular(file);
                if (before != null)
                {
                    final FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                    lockOrRefuse(channel, directory);
                    if (before.equals(FileIdentity.ofRegular(file)))
                    {
                        return new LockFile(channel, before, created);
                    }
                    channel.close();
                }
            }
            throw locked(directory, "another process, which keeps replacing its lock");
        }

        private static boolean create(final Path file) throws IOException
        {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS))
            {
                return false;
            }
            return OwnerOnly.createFile(file);
        }

        private static void lockOrRefuse(final FileChannel channel, final Path directory) throws IOException
        {
            boolean taken = false;
            try
            {
                taken = channel.tryLock() != null;
                if (!taken)
                {
                    throw locked(directory, read(channel));
                }
            }
            finally
            {
                if (!taken)
                {
                    channel.close();
                }
            }
        }
    }

    private static Path lockFile(final Path directory)
    {
        return directory.resolve(SegmentName.LOCK);
    }

    /**
     * Process that has locked the file {@code lock} of this directory; {@code null} if none has, or if the lock cannot be
     * read. Creates and writes nothing. A writer that starts at the same time may be refused as if this process were one.
     */
    public static String holder(final Path directory)
    {
        synchronized (HELD_HERE)
        {
            try
            {
                return HELD_HERE.contains(FileIdentity.of(directory.toRealPath()))
                    ? named(ProcessHandle.current().pid()) : holderElsewhere(lockFile(directory));
            }
            catch (final IOException e)
            {
                return null;
            }
        }
    }

    /** As {@link #holder}, but also reads the directory's lock, which takes longer and detects removed lock files. */
    public static String holderBesideFile(final Path directory)
    {
        final String holder = holder(directory);
        return holder == null && DirectoryLock.isHeld(directory) ? signature(lockFile(directory)) : holder;
    }

    private static String holderElsewhere(final Path file) throws IOException
    {
        try (FileChannel channel = PlainFile.read(file))
        {
            // A shared lock needs no permission to write, and is released with the channel.
            return channel.tryLock(0, Long.MAX_VALUE, true) == null ? read(channel) : null;
        }
    }

    /** The process that signed the file; only for a directory that another process has locked. */
    private static String signature(final Path file)
    {
        try (FileChannel channel = PlainFile.read(file))
        {
            return read(channel);
        }
        catch (final IOException e)
        {
            return named("");
        }
    }

    private static String read(final FileChannel channel) throws IOException
    {
        final ByteBuffer text = ByteBuffer.allocate(MAX_PID_CHARACTERS);
        channel.read(text, 0);
        return named(new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII));
    }

    /** A lock that was taken and not yet signed has the pid of a writer that has ended. */
    private static String named(final String text)
    {
        try
        {
            final long pid = Long.parseLong(text);
            return ProcessHandle.of(pid).isPresent() ? named(pid) : "another process";
        }
        catch (final NumberFormatException e)
        {
            return "another process";
        }
    }

    private static String named(final long pid)
    {
        return "the process with pid " + pid;
    }

    public static JournalException locked(final Path directory, final String holder)
    {
        return new JournalException(Kind.LOCKED, "the journal " + directory + " is being written by " + holder +
            "; stop it, or give another directory.");
    }

    private static JournalException untaken(final Path directory, final IOException e)
    {
        return StoreFault.writing("the journal's lock " + lockFile(directory) + " cannot be taken", directory, e);
    }

    /** Writes the holder's process id into the lock. */
    public void sign()
    {
        try
        {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(
                Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)), 0);
        }
        catch (final IOException e)
        {
            throw untaken(directory, e);
        }
    }

    /** Refuses a file {@code lock} that another program wrote: it has other content than a pid. */
    void requireOwnFormat()
    {
        final ByteBuffer text = ByteBuffer.allocate(MAX_PID_CHARACTERS + 1);
        try
        {
            channel.read(text, 0);
        }
        catch (final IOException e)
        {
            throw untaken(directory, e);
        }
        if (!new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII).matches("\\d{0,20}"))
        {
            throw new JournalException(Kind.ALREADY_EXISTS, directory + " is not empty, it holds a file lock that no " +
                "journal wrote; journals are never overwritten. Use a new or empty directory.");
        }
    }

    /**
     * Checks that both paths still name the locked directory and file.
     *
     * @throws JournalException LOCK_LOST if the directory or its file {@code lock} was removed or replaced.
     */
    public void requireHeld()
    {
        final boolean sameDirectory = identity.equals(FileIdentity.ofExisting(directory));
        if (!sameDirectory || !fileIdentity.equals(FileIdentity.ofExisting(file)))
        {
            throw new JournalException(Kind.LOCK_LOST, (sameDirectory ? file : directory) + " was removed or replaced " +
                "while this process wrote the journal, so nothing more is written; recover the journal once no process " +
                "writes it.");
        }
    }

    /** Keeps the file: the next holder may use it already. */
    @Override
    public void close()
    {
        synchronized (HELD_HERE)
        {
            try
            {
                channel.close();
            }
            catch (final IOException e)
            {
                throw new JournalException(Kind.STORE_FAILED, "the journal's lock cannot be released: " +
                    FileFault.reason(e) + "; check the disk.", e);
            }
            finally
            {
                directoryLock.close();
                HELD_HERE.remove(identity);
            }
        }
    }

    /** Also removes the file if this lock created it; a process that opened it meanwhile sees that its path is gone. */
    public void discard()
    {
        try
        {
            if (createdFile && fileIdentity.equals(FileIdentity.ofExisting(file)))
            {
                Files.deleteIfExists(file);
            }
        }
        catch (final IOException e)
        {
            // A lone lock file does no harm.
            return;
        }
        finally
        {
            close();
        }
    }
}
