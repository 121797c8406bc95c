// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A directory of results that appears in one step when all of them are written. Until then its files are in a directory
 * beside it, which {@link #close} removes if the work failed.
 */
public final class NewDirectory implements AutoCloseable
{
    private final String option;
    /** As the user wrote it. */
    private final Path target;
    private final Path part;

    private NewDirectory(final String option, final Path target, final Path part)
    {
        this.option = option;
        this.target = target;
        this.part = part;
    }

    /**
     * @param target absent, or an empty directory.
     * @throws ConfigException if it holds files, or cannot be made.
     */
    public static NewDirectory create(final String option, final Path target)
    {
        final Path absolute = target.toAbsolutePath().normalize();
        if (target.toString().isEmpty() || absolute.getFileName() == null)
        {
            throw new ConfigException(option + "=" + target + " names no new directory; give one that does not exist yet.");
        }
        final Path part = absolute.resolveSibling(
            "." + absolute.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        final NewDirectory directory = new NewDirectory(option, target, part);
        try
        {
            directory.requireFree();
            Files.createDirectory(part);
            return directory;
        }
        catch (final IOException e)
        {
            throw directory.refused(e);
        }
    }

    private void requireFree() throws IOException
    {
        if (!Files.exists(target))
        {
            return;
        }
        if (!Files.isDirectory(target))
        {
            throw new ConfigException(option + "=" + target + " is a file; give a directory that is new or empty.");
        }
        try (Stream<Path> entries = Files.list(target))
        {
            if (entries.findAny().isPresent())
            {
                throw new ConfigException(
                    option + "=" + target + " is not empty, and files are never overwritten; give a directory that is new " +
                        "or empty.");
            }
        }
    }

    Path target()
    {
        return target;
    }

    /** The place of a new file. */
    public Path file(final String name)
    {
        return part.resolve(name);
    }

    /** Lets the directory appear with all files. */
    public void publish()
    {
        try
        {
            requireFree();
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        }
        catch (final IOException e)
        {
            throw refused(e);
        }
    }

    /** @return the exception to throw: the directory, or a file in it, cannot be written. */
    public ConfigException refused(final IOException fault)
    {
        return FileFault.unwritten(option, target, "directory", fault);
    }

    @Override
    public void close()
    {
        if (!Files.exists(part))
        {
            return;
        }
        try (Stream<Path> entries = Files.walk(part))
        {
            for (final Path entry : entries.sorted(Comparator.reverseOrder()).toList())
            {
                Files.deleteIfExists(entry);
            }
        }
        catch (final IOException e)
        {
            // The failure of the command is the more important message.
            return;
        }
    }
}
