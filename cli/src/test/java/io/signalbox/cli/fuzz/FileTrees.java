// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Copies and deletes the directories of cases. */
final class FileTrees
{
    private static final int MAX_TRIES = 50;

    private FileTrees()
    {
    }

    /** A thread of the case or a hung command may still be adding files; what it adds is deleted too. */
    static void delete(final Path root) throws IOException
    {
        for (int i = 0; i < MAX_TRIES && Files.exists(root, LinkOption.NOFOLLOW_LINKS); i++)
        {
            try
            {
                for (final Path path : paths(root))
                {
                    Files.deleteIfExists(path);
                }
            }
            catch (final DirectoryNotEmptyException | NoSuchFileException | UncheckedIOException e)
            {
                continue;
            }
        }
    }

    private static List<Path> paths(final Path root) throws IOException
    {
        try (Stream<Path> walk = Files.walk(root))
        {
            return walk.sorted(Comparator.reverseOrder()).toList();
        }
    }

    /** Copies directories, files and symbolic links; other files are left out, and so is what is too large to keep. */
    static void copy(final Path from, final Path to) throws IOException
    {
        try (Stream<Path> walk = Files.walk(from))
        {
            for (final Path path : walk.toList())
            {
                final Path target = to.resolve(from.relativize(path).toString());
                if (Files.isSymbolicLink(path) || Files.isDirectory(path) ||
                    Files.isRegularFile(path) && Files.size(path) < 1 << 26)
                {
                    Files.createDirectories(target.getParent());
                    Files.deleteIfExists(target);
                    Files.copy(path, target, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
    }
}
