// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.WriterOptions;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** Where the journal of a run is kept, and how safely. */
final class JournalOptions
{
    private static final Path RUNS = Path.of("runs");
    private static final int MAX_RUNS = 9999;

    @Option(names = "--journal", paramLabel = "DIR",
        description = "Directory for the journal, empty or not there yet (default: the next number under runs/).")
    private Path directory;

    @Option(names = "--no-journal", description = "Keep no journal, and so verify none.")
    private boolean noJournal;

    @Option(names = "--no-verify", description = "Do not verify the journal after the run.")
    private boolean noVerify;

    @Option(names = "--durability", paramLabel = "LEVEL",
        description = "What a written group survives: process (a killed process), batch or record (power loss, with one " +
            "sync per batch or per group); default: process.")
    private Durability durability = Durability.PROCESS;

    boolean verifies()
    {
        return !noVerify;
    }

    /** The writer of the run's journal; null where none is wanted. */
    JournalWriter open(final Map<String, String> settings)
    {
        if (noJournal)
        {
            if (directory != null)
            {
                throw new ConfigException(
                    "--journal=" + directory + " and --no-journal exclude each other; give one of them.");
            }
            return null;
        }
        final Path target = directory == null ? nextRun() : directory;
        refuseUnlessEmpty(target);
        make(target);
        return JournalWriter.create(target, settings, WriterOptions.of(durability));
    }

    private static void refuseUnlessEmpty(final Path target)
    {
        if (!Files.exists(target))
        {
            return;
        }
        try (Stream<Path> entries = Files.list(target))
        {
            if (entries.findAny().isPresent())
            {
                throw new ConfigException("--journal=" + target +
                    " is not empty, and a journal is never written over; give a directory that is empty or not there yet.");
            }
        }
        catch (final IOException e)
        {
            throw new ConfigException(
                "--journal=" + target + " cannot be used as a directory (" + e.getMessage() + "); give another one.");
        }
    }

    private static void make(final Path target)
    {
        try
        {
            Files.createDirectories(target);
        }
        catch (final IOException e)
        {
            throw new ConfigException(
                "--journal=" + target + " cannot be made (" + e.getMessage() + "); give a directory in a writable place.");
        }
    }

    /** Creating the directory claims its number, so that two runs at once do not share one. */
    private static Path nextRun()
    {
        try
        {
            Files.createDirectories(RUNS);
            for (int number = lastRun() + 1; number <= MAX_RUNS; number++)
            {
                final Path run = RUNS.resolve("%04d".formatted(number));
                try
                {
                    return Files.createDirectory(run);
                }
                catch (final FileAlreadyExistsException e)
                {
                    // Another run has taken this number in the meantime.
                    continue;
                }
            }
        }
        catch (final IOException e)
        {
            throw new ConfigException("no directory for the journal could be made under " + RUNS.toAbsolutePath() + " (" +
                e.getMessage() + "); give one with --journal, or --no-journal.");
        }
        throw new ConfigException(RUNS.toAbsolutePath() + " holds runs up to " + MAX_RUNS +
            "; remove some, or give a directory with --journal.");
    }

    private static int lastRun() throws IOException
    {
        try (Stream<Path> entries = Files.list(RUNS))
        {
            return entries.map(entry -> entry.getFileName().toString())
                .filter(name -> name.matches("\\d{4}"))
                .mapToInt(Integer::parseInt)
                .max().orElse(0);
        }
    }
}
