// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** One writer per directory, held by the operating system: it goes away with its process, however that ends. */
final class JournalLock implements AutoCloseable
{
    private static final int MAX_PID_CHARACTERS = 20;

    private final FileChannel channel;

    private JournalLock(final FileChannel channel)
    {
        this.channel = channel;
    }

    static JournalLock acquire(final Path directory)
    {
        final Path file = directory.resolve(SegmentName.LOCK);
        try
        {
            OwnerOnly.createDirectory(directory);
            final FileChannel channel = OwnerOnly.open(file);
            if (!tryLock(channel))
            {
                final String holder = read(channel);
                channel.close();
                throw new JournalException(Kind.LOCKED, "the journal " + directory + " is being written by the process " +
                    "with pid " + holder + "; stop it, or give another directory.");
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(
                Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)), 0);
            return new JournalLock(channel);
        }
        catch (final IOException e)
        {
            throw new JournalException(
                Kind.STORE_FAILED, "the lock " + file + " cannot be taken: " + e + "; check that it is writable.", e);
        }
    }

    private static boolean tryLock(final FileChannel channel) throws IOException
    {
        try
        {
            final FileLock lock = channel.tryLock();
            return lock != null;
        }
        catch (final OverlappingFileLockException e)
        {
            return false;
        }
    }

    private static String read(final FileChannel channel) throws IOException
    {
        final ByteBuffer text = ByteBuffer.allocate(MAX_PID_CHARACTERS);
        channel.read(text, 0);
        return new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII);
    }

    /** Leaves the file: removing it could take it from under the next holder. */
    @Override
    public void close()
    {
        try
        {
            channel.close();
        }
        catch (final IOException e)
        {
            throw new JournalException(Kind.STORE_FAILED, "the journal's lock cannot be released: " + e + ".", e);
        }
    }
}
