// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;
import io.signalbox.files.AtomicFile;
import io.signalbox.files.FileFault;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/**
 * A result of unknown size that appears in one step when it is complete. Until then it is in a file beside it, which
 * {@link #close} removes if the work failed. A name that ends in {@code .gz} is compressed.
 */
public final class NewFile extends OutputStream
{
    private static final int BUFFER_BYTES = 1 << 16;

    private final String option;
    /** As the user wrote it. */
    private final Path target;
    private final AtomicFile aside;
    private final OutputStream out;
    private long bytes;

    private NewFile(final String option, final Path target, final AtomicFile aside) throws IOException
    {
        this.option = option;
        this.target = target;
        this.aside = aside;
        final OutputStream plain = Channels.newOutputStream(aside.channel());
        // The header of gzip waits in a buffer of its own, so that nothing can fail before this object exists.
        out = new BufferedOutputStream(target.toString().endsWith(".gz") ?
            new GZIPOutputStream(new BufferedOutputStream(plain), BUFFER_BYTES) : plain, BUFFER_BYTES);
    }

    /** @throws ConfigException if the file exists, or cannot be written. */
    public static NewFile create(final String option, final Path target)
    {
        if (!target.toString().isEmpty() && Files.exists(target))
        {
            throw exists(option, target);
        }
        OutputFile.check(option, target);
        try
        {
            return new NewFile(option, target, AtomicFile.of(target));
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(option, target, "file", e);
        }
    }

    private static ConfigException exists(final String option, final Path target)
    {
        return new ConfigException(option + "=" + target + " exists, and files are never overwritten; give a new one.");
    }

    @Override
    public void write(final int value)
    {
        write(new byte[]{(byte)value}, 0, 1);
    }

    /** @throws ConfigException if the file cannot be written, for example because the disk is full. */
    @Override
    public void write(final byte[] source, final int offset, final int length)
    {
        try
        {
            out.write(source, offset, length);
            bytes += length;
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(option, target, "file", e);
        }
    }

    /** Bytes that were written, before compression. */
    public long bytes()
    {
        return bytes;
    }

    /** Lets the file appear. */
    public void publish()
    {
        try
        {
            out.close();
            if (Files.exists(target))
            {
                throw exists(option, target);
            }
            aside.publish();
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(option, target, "file", e);
        }
    }

    @Override
    public void close()
    {
        try (aside)
        {
            out.close();
        }
        catch (final IOException e)
        {
            // The failure of the command is the more important message.
            return;
        }
    }
}
