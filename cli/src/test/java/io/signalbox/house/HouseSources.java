// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The source files of all modules, and the documents. */
final class HouseSources
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Set<String> NOT_OURS = Set.of("target", "runs", ".git", ".idea", ".vscode");

    private HouseSources()
    {
    }

    static List<Path> all()
    {
        final List<Path> found = new ArrayList<>();
        collect(ROOT, found);
        return found;
    }

    /** Files that git tracks, or empty if this is no work tree of git. */
    static List<String> tracked()
    {
        try
        {
            final Process listing = new ProcessBuilder("git", "-C", ROOT.toString(), "ls-files")
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            final List<String> paths = new String(listing.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
                .toList();
            return listing.waitFor() == 0 ? paths : List.of();
        }
        catch (final IOException e)
        {
            return List.of();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    private static void collect(final Path directory, final List<Path> found)
    {
        try (Stream<Path> entries = Files.list(directory))
        {
            entries.sorted().forEach(entry ->
            {
                final String name = entry.getFileName().toString();
                if (Files.isDirectory(entry) && !NOT_OURS.contains(name))
                {
                    collect(entry, found);
                }
                else if (Files.isRegularFile(entry) && isSource(entry))
                {
                    found.add(entry);
                }
            });
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSource(final Path source)
    {
        return isScript(source) || Stream.of(".java", ".xml", ".cu", ".cuh", ".cpp", ".c", ".h", ".def", ".md")
            .anyMatch(source.getFileName().toString()::endsWith);
    }

    /** Scripts have no extension: the launcher, the scripts of continuous integration, and the scripts for developers. */
    private static boolean isScript(final Path source)
    {
        final String path = relative(source);
        return path.equals("signalbox") || path.startsWith(".ci/") || path.startsWith("scripts/");
    }

    static String relative(final Path source)
    {
        return ROOT.relativize(source).toString().replace('\\', '/');
    }

    static List<String> lines(final Path source)
    {
        try
        {
            return Files.readAllLines(source);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
