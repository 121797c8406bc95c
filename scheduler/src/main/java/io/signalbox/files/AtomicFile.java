// SPDX-License-Identifier: Apache-2.0
package io.signalbox.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A file that is written aside, and gets its name in one step. A reader finds the old file, the new one, or none. Without
 * {@link #publish}, {@link #close} removes what was written.
 */
public final class AtomicFile implements AutoCloseable
{
    private static final int BLANKS = 1 << 16;

    private final Path part;
    private final Path file;
    private final FileChannel channel;
    private boolean isSynced;
    private boolean isPublished;

    private AtomicFile(final Path part, final Path file, final FileChannel channel)
    {
        this.part = part;
        this.file = file;
        this.channel = channel;
    }

    /** Writes to a hidden file in the same directory. Its name is drawn: processes of two containers may have one number. */
    public static AtomicFile of(final Path file) throws IOException
    {
        return of(file, file.resolveSibling(
            "." + file.getFileName() + "." + Long.toHexString(ThreadLocalRandom.current().nextLong()) + ".part"));
    }

    /**
     * Removes what a killed process has left under the name of the part. A link of that name is removed, not followed.
     *
     * @param part       where the bytes are until the file is published; in the same directory.
     * @param attributes of the file.
     */
    public static AtomicFile of(final Path file, final Path part, final FileAttribute<?>... attributes) throws IOException
    {
        Files.deleteIfExists(part);
        return new AtomicFile(part, file,
            FileChannel.open(part, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes));
    }

    public FileChannel channel()
    {
        return channel;
    }

    /** Takes disk space, by blanks, which no file system stores as a hole. Closes this if the disk has no room. */
    public void reserve(final long bytes) throws IOException
    {
        final byte[] blanks = new byte[BLANKS];
        Arrays.fill(blanks, (byte)' ');
        try
        {
            for (long left = bytes; left > 0; left -= BLANKS)
            {
                writeAll(ByteBuffer.wrap(blanks, 0, (int)Math.min(BLANKS, left)));
            }
            channel.force(true);
        }
        catch (final IOException e)
        {
            close();
            throw e;
        }
    }

    /** Writes the whole content, in place of reserved space. */
    public void write(final byte[] content) throws IOException
    {
        channel.position(0);
        writeAll(ByteBuffer.wrap(content));
        channel.truncate(content.length);
    }

    private void writeAll(final ByteBuffer bytes) throws IOException
    {
        while (bytes.hasRemaining())
        {
            channel.write(bytes);
        }
    }

    /** Makes the content durable, and the name too once the file is published. */
    public void sync() throws IOException
    {
        channel.force(true);
        isSynced = true;
    }

    /** Gives the file its name, in place of a file that has it. */
    public void publish() throws IOException
    {
        channel.close();
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        isPublished = true;
        if (isSynced)
        {
            syncDirectory(file.toAbsolutePath().getParent());
        }
    }

    /**
     * Gives the file its name, unless another file has it. On a file system without links, two processes that publish at the
     * same moment may both succeed; the later file remains.
     *
     * @return whether this file has the name.
     */
    public boolean publishNew() throws IOException
    {
        try
        {
            Files.createLink(file, part);
            close();
            syncDirectory(file.toAbsolutePath().getParent());
            return true;
        }
        catch (final FileAlreadyExistsException e)
        {
            return false;
        }
        catch (final UnsupportedOperationException | FileSystemException e)
        {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS))
            {
                return false;
            }
            publish();
            return true;
        }
    }

    /** Makes the names in a directory durable, if the platform opens directories. */
    public static void syncDirectory(final Path directory) throws IOException
    {
        if (Files.getFileAttributeView(directory, PosixFileAttributeView.class) != null)
        {
            try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ))
            {
                names.force(true);
            }
        }
    }

    @Override
    public void close()
    {
        if (isPublished)
        {
            return;
        }
        try (channel)
        {
            Files.deleteIfExists(part);
        }
        catch (final IOException e)
        {
            // The reason for which the file was not published is the more important message.
            return;
        }
    }
}
