// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A file for a result that is known only after long work. Its disk space is reserved before the work, in a file beside
 * it, which replaces the file in one step when the result is complete. An existing file keeps its content until then.
 */
public final class OutputFile implements AutoCloseable
{
    private final String option;
    private final Path file;
    private final Path reserved;
    private boolean done;

    private OutputFile(final String option, final Path file, final Path reserved)
    {
        this.option = option;
        this.file = file;
        this.reserved = reserved;
    }

    /**
     * @param file  null: no such file is wanted, and this returns null.
     * @param bytes at least as many as will be written, as far as that is known.
     * @throws ConfigException if the file cannot be written or its disk has no space.
     */
    public static OutputFile reserve(final String option, final Path file, final long bytes)
    {
        if (file == null)
        {
            return null;
        }
        check(option, file);
        final Path target = real(file);
        final Path reserved = target.resolveSibling(
            "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        final OutputFile output = new OutputFile(option, target, reserved);
        try (FileChannel channel = FileChannel.open(
            reserved, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            fill(channel, bytes);
            channel.force(true);
            return output;
        }
        catch (final IOException e)
        {
            output.close();
            throw output.refused(e);
        }
    }

    /** @throws ConfigException if the path cannot be written: it is a directory or a device. */
    public static void check(final String option, final Path file)
    {
        if (Files.isSymbolicLink(file) && !Files.exists(file))
        {
            throw new ConfigException(option + "=" + file + " is a link to a file that does not exist; give that file, or " +
                "remove the link.");
        }
        if (!file.toString().isEmpty() && Files.isDirectory(file))
        {
            throw new ConfigException(
                option + "=" + file + " cannot be written: it is a directory; give the name of a file.");
        }
        if (Files.isRegularFile(file) && !Files.isWritable(file))
        {
            throw new ConfigException(option + "=" + file + " cannot be written: permission is denied; give another file, " +
                "or make this one writable.");
        }
        final Path parent = file.toAbsolutePath().getParent();
        final boolean usable = !file.toString().isEmpty() && file.getFileName() != null &&
            (!Files.exists(file) || Files.isRegularFile(file) && Files.isWritable(file)) &&
            parent != null && Files.isDirectory(parent) && Files.isWritable(parent);
        if (!usable)
        {
            throw new ConfigException(
                option + "=" + file + " cannot be written; give a file in a directory that exists and that you may write.");
        }
    }

    /** Behind symbolic links, which stay. */
    private static Path real(final Path file)
    {
        try
        {
            return Files.exists(file) ? file.toRealPath() : file;
        }
        catch (final IOException e)
        {
            return file;
        }
    }

    /** Writes bytes that no file system stores as a hole. */
    private static void fill(final FileChannel channel, final long bytes) throws IOException
    {
        final byte[] blanks = new byte[1 << 16];
        Arrays.fill(blanks, (byte)' ');
        for (long written = 0; written < bytes; written += blanks.length)
        {
            write(channel, ByteBuffer.wrap(blanks, 0, (int)Math.min(blanks.length, bytes - written)));
        }
    }

    private static void write(final FileChannel channel, final ByteBuffer bytes) throws IOException
    {
        while (bytes.hasRemaining())
        {
            channel.write(bytes);
        }
    }

    /** @throws ConfigException if the space was not enough; the file then keeps its content. */
    public void write(final String text)
    {
        final ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        try
        {
            try (FileChannel channel = FileChannel.open(reserved, StandardOpenOption.WRITE))
            {
                final int length = bytes.remaining();
                write(channel, bytes);
                channel.truncate(length);
                channel.force(true);
            }
            Files.move(reserved, file, StandardCopyOption.REPLACE_EXISTING);
            done = true;
        }
        catch (final IOException e)
        {
            throw refused(e);
        }
    }

    private ConfigException refused(final IOException fault)
    {
        return new ConfigException(option + "=" + file + " cannot be written (" + FileFault.reason(fault) +
            "); " + FileFault.remedy(fault, "file") + ".");
    }

    /** Releases the space if nothing was written. */
    @Override
    public void close()
    {
        try
        {
            if (!done)
            {
                Files.deleteIfExists(reserved);
            }
        }
        catch (final IOException e)
        {
            // The failure of the command is the more important message.
            done = false;
        }
    }
}
