// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** One writer per directory, held by the operating system: it goes away with its process, however that ends. */
final class JournalLock implements AutoCloseable
{
    private static final int MAX_PID_CHARACTERS = 20;
    /**
     * The locks of this process, and the monitor of every look at a lock: on POSIX systems closing any channel of a
     * file gives up the locks that the process has on it, so a file locked here must never be opened a second time.
     */
    private static final Set<Path> HELD_HERE = new HashSet<>();

    private final Path file;
    private final FileChannel channel;

    private JournalLock(final Path file, final FileChannel channel)
    {
        this.file = file;
        this.channel = channel;
    }

    /** Creates the directory where it is missing, and signs the lock with this process. */
    static JournalLock acquire(final Path directory)
    {
        try
        {
            OwnerOnly.createDirectory(directory);
        }
        catch (final IOException e)
        {
            throw untaken(directory, e);
        }
        final JournalLock lock = acquireUnsigned(directory);
        try
        {
            lock.sign();
            return lock;
        }
        catch (final RuntimeException | Error e)
        {
            lock.close();
            throw e;
        }
    }

    /** Takes the lock of a journal that is there, and writes nothing into it. */
    static JournalLock acquireUnsigned(final Path directory)
    {
        synchronized (HELD_HERE)
        {
            try
            {
                final Path file = directory.toRealPath().resolve(SegmentName.LOCK);
                if (HELD_HERE.contains(file))
                {
                    throw locked(directory, named(ProcessHandle.current().pid()));
                }
                final FileChannel channel = OwnerOnly.open(file);
                if (!isTaken(channel))
                {
                    final String holder = read(channel);
                    channel.close();
                    throw locked(directory, holder);
                }
                HELD_HERE.add(file);
                return new JournalLock(file, channel);
            }
            catch (final IOException e)
            {
                throw untaken(directory, e);
            }
        }
    }

    private static boolean isTaken(final FileChannel channel) throws IOException
    {
        try
        {
            return channel.tryLock() != null;
        }
        catch (final IOException e)
        {
            channel.close();
            throw e;
        }
    }

    /**
     * Who is writing in this directory; null where nobody is, or nobody can tell. Creates and writes nothing. A
     * writer that starts at this very moment may be refused as if this process were one.
     */
    static String holder(final Path directory)
    {
        synchronized (HELD_HERE)
        {
            try
            {
                final Path file = directory.toRealPath().resolve(SegmentName.LOCK);
                return HELD_HERE.contains(file) ? named(ProcessHandle.current().pid()) : holderElsewhere(file);
            }
            catch (final IOException e)
            {
                return null;
            }
        }
    }

    private static String holderElsewhere(final Path file) throws IOException
    {
        if (!Files.isRegularFile(file))
        {
            return null;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ))
        {
            // A shared lock needs no right to write, and goes with the channel.
            return channel.tryLock(0, Long.MAX_VALUE, true) == null ? read(channel) : null;
        }
    }

    private static String read(final FileChannel channel) throws IOException
    {
        final ByteBuffer text = ByteBuffer.allocate(MAX_PID_CHARACTERS);
        channel.read(text, 0);
        return named(new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII));
    }

    /** A lock that was taken and not yet signed bears the name of a writer that is gone. */
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

    private static JournalException locked(final Path directory, final String holder)
    {
        return new JournalException(Kind.LOCKED, "the journal " + directory + " is being written by " + holder +
            "; stop it, or give another directory.");
    }

    private static JournalException untaken(final Path directory, final IOException e)
    {
        return FileFault.writing("the journal's lock " + directory.resolve(SegmentName.LOCK) + " cannot be taken",
            directory, e);
    }

    /** Says in the lock which process holds it. */
    void sign()
    {
        try
        {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(
                Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)), 0);
        }
        catch (final IOException e)
        {
            throw untaken(file.getParent(), e);
        }
    }

    /** Leaves the file: removing it could take it from under the next holder. */
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
                HELD_HERE.remove(file);
            }
        }
    }
}
