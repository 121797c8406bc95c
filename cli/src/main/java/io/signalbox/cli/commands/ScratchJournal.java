// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory for a journal that is deleted when it is closed. */
final class ScratchJournal implements AutoCloseable
{
    private final Path parent;

    ScratchJournal()
    {
        try
        {
            parent = Files.createTempDirectory("signalbox-check");
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException("no directory for a journal could be made in " +
                System.getProperty("java.io.tmpdir"), e);
        }
    }

    /** Does not exist yet. */
    Path directory()
    {
        return parent.resolve("journal");
    }

    @Override
    public void close()
    {
        try (Stream<Path> files = Files.walk(parent))
        {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(file);
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException("the journal in " + parent + " could not be deleted", e);
        }
    }
}
