// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary directory for runs that no test framework starts; deleted with everything in it when closed. */
public final class ScratchDirectory implements AutoCloseable
{
    private final Path path;

    public ScratchDirectory()
    {
        try
        {
            path = Files.createTempDirectory("signalbox");
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    public Path path()
    {
        return path;
    }

    @Override
    public void close()
    {
        try (Stream<Path> all = Files.walk(path))
        {
            final List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (final Path each : deepestFirst)
            {
                Files.delete(each);
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
