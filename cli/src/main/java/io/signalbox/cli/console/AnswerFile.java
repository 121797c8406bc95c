// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.printing.OutputFile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPOutputStream;

/**
 * A file that grows line by line during the work: each line is in the file when {@link #write} returns, so that a
 * stopped process leaves all of them. An existing file keeps its content until the first line. A name that ends in
 * {@code .gz} is compressed. Thread-safe.
 */
public final class AnswerFile implements AutoCloseable
{
    private static final int BUFFER_BYTES = 1 << 16;

    private final String option;
    private final Path file;
    private final boolean isNew;
    private final FileChannel channel;
    /** {@code null} before the first line. */
    private OutputStream out;
    private boolean closed;

    private AnswerFile(final String option, final Path file, final boolean isNew, final FileChannel channel)
    {
        this.option = option;
        this.file = file;
        this.isNew = isNew;
        this.channel = channel;
    }

    /**
     * @param file {@code null}: no such file is wanted, and this returns {@code null}.
     * @throws ConfigException if the file cannot be written.
     */
    public static AnswerFile open(final String option, final Path file)
    {
        if (file == null)
        {
            return null;
        }
        OutputFile.check(option, file);
        final boolean isNew = !Files.exists(file);
        try
        {
            return new AnswerFile(option, file, isNew,
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(option, file, "file", e);
        }
    }

    /**
     * Appends a text that ends in a line break; without effect after {@link #close}.
     *
     * @throws ConfigException if the file cannot be written, for example because the disk is full.
     */
    public synchronized void write(final String lines)
    {
        if (closed)
        {
            return;
        }
        try
        {
            if (out == null)
            {
                channel.truncate(0);
                final OutputStream plain = Channels.newOutputStream(channel);
                out = file.toString().endsWith(".gz") ? new GZIPOutputStream(plain, BUFFER_BYTES, true) : plain;
            }
            out.write(lines.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(option, file, "file", e);
        }
    }

    /** Whether anything was written. */
    public synchronized boolean hasLines()
    {
        return out != null;
    }

    /** A new file without a line is removed. */
    @Override
    public synchronized void close()
    {
        if (closed)
        {
            return;
        }
        closed = true;
        try
        {
            if (out != null)
            {
                out.close();
            }
            channel.close();
            if (out == null && isNew)
            {
                Files.deleteIfExists(file);
            }
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(option, file, "file", e);
        }
    }
}
