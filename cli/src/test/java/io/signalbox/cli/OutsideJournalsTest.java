// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** No output of any command replaces a file of a journal, or puts one into a segment. */
class OutsideJournalsTest
{
    @TempDir
    private Path directory;
    private Path journal;

    @BeforeEach
    void writeJournal()
    {
        journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of("simulate", "--ranks=2", "--conversations=2", "--turns=fixed:1",
            "--journal", journal.toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
    }

    @Test
    void shouldRefuseAnOutputThatIsPartOfAJournal() throws IOException
    {
        final Path data;
        try (var files = Files.list(journal.resolve("segment-00000")))
        {
            data = files.filter(file -> file.toString().endsWith(".cq4")).findFirst().orElseThrow();
        }
        final Path link = Files.createSymbolicLink(directory.resolve("link"), data);
        final String before = CommandRun.of("replay", journal.toString()).out();
        for (final Path owned : List.of(data, link, journal.resolve("lock"), journal.resolve("segment-00001"),
            journal.resolve("segment-00000/new.cq4"), journal.resolve("segment-00000")))
        {
            final List<String> compare =
                new ArrayList<>(List.of("compare", "--workloads=skewed", "--conversations=2", "--seeds=2"));
            compare.add("--csv-file=" + owned);
            assertRefused(CommandRun.of(compare), owned);
            compare.set(compare.size() - 1, "--json-file=" + owned);
            assertRefused(CommandRun.of(compare), owned);
            assertRefused(CommandRun.of("gpu", "--json-file=" + owned), owned);
            if (!Files.exists(owned))
            {
                assertRefused(CommandRun.of("trace", journal.toString(), "--out=" + owned), owned);
                assertFalse(Files.exists(owned), owned.toString());
            }
        }

        assertEquals(before, CommandRun.of("replay", journal.toString()).out());
    }

    @Test
    void shouldRefuseAnOutputInTheDirectoryOfAJournal()
    {
        for (final List<String> command : List.of(List.of("trace", "--out"), List.of("timeline", "--out"),
            List.of("experts", "--all", "--out"), List.of("whatif", "--json-file")))
        {
            final Path out = journal.resolve("rows");
            final List<String> args = new ArrayList<>(command);
            args.add(1, journal.toString());
            args.add(out.toString());
            final CommandRun run = CommandRun.of(args);

            assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
            assertTrue(run.err().contains("=" + out + " is in the directory of a journal"), run.err());
            assertFalse(Files.exists(out), command.get(0));
        }
    }

    @Test
    void shouldRefuseAJournalWithinAJournal()
    {
        for (final String inside : List.of("segment-00001", "segment-00000/sub"))
        {
            final Path place = journal.resolve(inside);
            final CommandRun run = CommandRun.of("simulate", "--conversations=2", "--journal", place.toString());

            assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
            assertTrue(run.err().contains(place + " is a part of a journal, which it would damage; give a place outside " +
                "the journal."), run.err());
            assertFalse(Files.exists(place), inside);
        }
    }

    @Test
    void shouldWriteBesideAJournal()
    {
        final CommandRun run =
            CommandRun.of("trace", journal.toString(), "--out=" + directory.resolve("segment-00001"));

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
    }

    /** Replacing a device, or an empty directory, would succeed if the user has permission. */
    @Test
    void shouldNotReplaceADirectoryWithTheReportOfAGpuCheck() throws IOException
    {
        final Path place = Files.createDirectory(directory.resolve("place"));

        final CommandRun run = CommandRun.of("gpu", "--json-file=" + place);

        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertTrue(Files.isDirectory(place), run.err());
    }

    private static void assertRefused(final CommandRun run, final Path owned)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertTrue(run.err().contains("=" + owned + " is a part of a journal, which it would damage; "), run.err());
    }
}
