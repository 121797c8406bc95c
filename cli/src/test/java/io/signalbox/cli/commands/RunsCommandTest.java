// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.options.CommandModel;
import io.signalbox.cli.options.PruneOptions;
import io.signalbox.journal.RunDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs are listed; those that a limit chooses go only with --remove. */
class RunsCommandTest
{
    @TempDir
    private Path runs;

    @BeforeEach
    void write() throws IOException
    {
        for (int i = 1; i <= 3; i++)
        {
            final Path run = runs.resolve("000" + i);
            assertEquals(0, CommandRun.of(
                "simulate", "--conversations=1", "--turns=fixed:1", "--output-tokens=fixed:2", "--journal", run.toString(),
                "--json").exitCode());
            age(run, 10 - i);
        }
        Files.writeString(Files.createDirectory(runs.resolve("notes")).resolve("a.txt"), "x");
    }

    private static void age(final Path run, final int days) throws IOException
    {
        try (Stream<Path> files = Files.walk(run))
        {
            for (final Path file : files.toList())
            {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(days))));
            }
        }
    }

    private CommandRun runs(final String... options)
    {
        return CommandRun.of(Stream.concat(Stream.of("runs", runs.toString()), Stream.of(options)).toList());
    }

    @Test
    void shouldListAndRemoveNothingWithoutBeingTold()
    {
        final CommandRun listed = runs();
        assertEquals(0, listed.exitCode(), listed.err());
        assertTrue(listed.out().contains("0001") && listed.out().contains("it holds a.txt, which is no file of a run"),
            listed.out());
        final CommandRun tried = runs("--keep=1");
        assertTrue(tried.out().contains("chosen: 2 runs are newer"), tried.out());
        assertTrue(tried.out().contains("would be removed"), tried.out());
        assertTrue(Files.isDirectory(runs.resolve("0001")));
    }

    @Test
    void shouldRemoveWhatLimitsChoose()
    {
        final CommandRun removed = runs("--older-than=8.5", "--remove");
        assertEquals(0, removed.exitCode(), removed.err());
        assertTrue(removed.out().contains("removed                   1 run, "), removed.out());
        assertTrue(removed.out().contains("removed: written more than 8.5 days ago"), removed.out());
        assertFalse(Files.exists(runs.resolve("0001")));
        assertTrue(Files.exists(runs.resolve("0002")));

        assertEquals(0, runs("--max-bytes=0", "--remove").exitCode());
        assertFalse(Files.exists(runs.resolve("0002")));
        assertTrue(Files.exists(runs.resolve("0003")), "the newest run stays");
        assertTrue(Files.exists(runs.resolve("notes/a.txt")));
    }

    /** The newest runs stay, without a gap: an old run is not kept because it is small. */
    @Test
    void shouldKeepNoRunBehindOneThatDoesNotFit()
    {
        final PruneOptions limits = new PruneOptions();
        new CommandLine(CommandSpec.create().addArgGroup(CommandModel.group("", 0, limits))).parseArgs("--max-bytes=30");
        final Map<Path, String> chosen = limits.choose(List.of(run("c", 10, 1), run("b", 100, 2), run("a", 10, 3)),
            Instant.EPOCH.plusSeconds(100));

        assertEquals(List.of(Path.of("b"), Path.of("a")), List.copyOf(chosen.keySet()));
        assertEquals("a newer run goes, since it has too many bytes", chosen.get(Path.of("a")));
    }

    private static RunDirectory run(final String name, final long bytes, final int age)
    {
        return new RunDirectory(Path.of(name), RunDirectory.State.IDLE, null, 1, bytes, 0, Instant.EPOCH,
            Instant.EPOCH.plusSeconds(50 - age));
    }

    @Test
    void shouldRefuseWhatMakesNoSense()
    {
        assertRefused("--remove is given without a limit", "--remove");
        assertRefused("--keep=0 is below 1", "--keep=0");
        assertRefused("--older-than=-1 is not a number between 0 and 36500", "--older-than=-1");
        assertRefused("--max-bytes=-1 is not a whole number at least 0", "--max-bytes=-1");
        final CommandRun missing = CommandRun.of("runs", runs.resolve("nowhere").toString());
        assertTrue(missing.exitCode() != 0 && missing.err().contains("nowhere is not a directory"), missing.err());
    }

    private void assertRefused(final String sentence, final String... options)
    {
        final CommandRun run = runs(options);
        assertEquals(2, run.exitCode(), run.out());
        assertTrue(run.err().contains(sentence), run.err());
    }
}
