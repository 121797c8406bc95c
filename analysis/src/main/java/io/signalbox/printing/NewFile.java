// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
    private final Path part;
    private OutputStream out;
    private long bytes;

    private NewFile(final String option, final Path target, final Path part)
    {
        this.option = option;
        this.target = target;
        this.part = part;
    }

    /** @throws ConfigException if the file exists, or cannot be written. */
    public static NewFile create(final String option, final Path target)
    {
        if (!target.toString().isEmpty() && Files.exists(target))
        {
            throw exists(option, target);
        }
        OutputFile.check(option, target);
        final NewFile file = new NewFile(option, target, target.resolveSibling(
            "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part"));
        try
        {
            final OutputStream plain =
                Files.newOutputStream(file.part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            file.out = new BufferedOutputStream(
                target.toString().endsWith(".gz") ? new GZIPOutputStream(plain, BUFFER_BYTES) : plain, BUFFER_BYTES);
            return file;
        }
        catch (final IOException e)
        {
            throw file.refused(e);
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
            throw refused(e);
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
            Files.move(part, target);
        }
        catch (final IOException e)
        {
            throw refused(e);
        }
    }

    private ConfigException refused(final IOException fault)
    {
        return new ConfigException(option + "=" + target + " cannot be written (" + FileFault.reason(fault) +
            "); " + FileFault.remedy(fault, "file") + ".");
    }

    @Override
    public void close()
    {
        try
        {
            out.close();
            Files.deleteIfExists(part);
        }
        catch (final IOException e)
        {
            // The failure of the command is the more important message.
            part.toFile().deleteOnExit();
        }
    }
}
