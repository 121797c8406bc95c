// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.fail;

/**
 * The files of a journal as a process that is killed now leaves them.
 * <p>
 * A thread of the living writer may still seal a segment. Files that it renames meanwhile belong to two moments, so such a
 * copy is made again.
 */
public final class KilledCopy
{
    private static final int ATTEMPTS = 1_000;

    private KilledCopy()
    {
    }

    public static Path of(final Path journal, final Path copy)
    {
        try
        {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++)
            {
                final List<Path> before = files(journal);
                if (copied(before, journal, copy) && files(journal).equals(before))
                {
                    return copy;
                }
                delete(copy);
            }
            return fail(journal + " never rests");
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean copied(final List<Path> files, final Path from, final Path to) throws IOException
    {
        try
        {
            for (final Path file : files)
            {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
            return true;
        }
        catch (final NoSuchFileException e)
        {
            return false;
        }
    }

    private static List<Path> files(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            return files.sorted().toList();
        }
        catch (final NoSuchFileException e)
        {
            return List.of();
        }
        catch (final UncheckedIOException e)
        {
            if (e.getCause() instanceof NoSuchFileException)
            {
                return List.of();
            }
            throw e;
        }
    }

    private static void delete(final Path copy) throws IOException
    {
        for (final Path file : files(copy).stream().sorted(Comparator.reverseOrder()).toList())
        {
            Files.delete(file);
        }
    }
}
