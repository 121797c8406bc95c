// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;
import io.signalbox.files.AtomicFile;
import io.signalbox.files.FileFault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file for a result that is known only after long work. Its disk space is reserved before the work, in a file beside
 * it, which replaces the file in one step when the result is complete. An existing file keeps its content until then.
 */
public final class OutputFile implements AutoCloseable
{
    private final String option;
    private final Path file;
    private final AtomicFile aside;

    private OutputFile(final String option, final Path file, final AtomicFile aside)
    {
        this.option = option;
        this.file = file;
        this.aside = aside;
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
        try
        {
            final AtomicFile aside = AtomicFile.of(target);
            aside.reserve(bytes);
            return new OutputFile(option, target, aside);
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(option, target, "file", e);
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

    /** @throws ConfigException if the space was not enough; the file then keeps its content. */
    public void write(final String text)
    {
        try
        {
            aside.write(text.getBytes(StandardCharsets.UTF_8));
            aside.sync();
            aside.publish();
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(option, file, "file", e);
        }
    }

    /** Releases the space if nothing was written. */
    @Override
    public void close()
    {
        aside.close();
    }
}
