// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.DuckDb;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A moment of a simulated run, with snapshots and without, and what is refused. */
class InspectMomentTest
{
    @TempDir
    private static Path directory;
    private static String journal;

    @BeforeAll
    static void simulate()
    {
        journal = directory.resolve("journal").toString();
        final CommandRun run = CommandRun.of("simulate", "--conversations=12", "--ranks=2", "--kv-blocks=2000", "--journal",
            journal, "--json");
        assertEquals(0, run.exitCode(), run.err());
    }

    private CommandRun inspect(final String... options)
    {
        return CommandRun.of(Stream.concat(Stream.of("inspect", journal), Stream.of(options)).toList());
    }

    private String rows(final String... options)
    {
        final CommandRun run = inspect(Stream.concat(Stream.of(options), Stream.of("--csv")).toArray(String[]::new));
        assertEquals(0, run.exitCode(), run.err());
        return run.out();
    }

    private void assertRefused(final String sentence, final String... options)
    {
        final CommandRun run = inspect(options);
        assertEquals(2, run.exitCode(), run.out());
        assertEquals("", run.out());
        assertTrue(run.err().contains(sentence), run.err());
    }

    @Test
    void shouldListRequestsRanksAndBlocks()
    {
        final String requests = rows("--moment=1");
        assertTrue(requests.startsWith("rank,state,place,request,conversation,submittedSeconds,sinceSeconds,"), requests);
        assertTrue(requests.contains("running"), requests);
        final String ranks = rows("--moment=1", "--show=ranks");
        assertEquals(4, ranks.lines().count(), ranks);
        final List<String> ofRanks = ranks.lines().filter(line -> line.matches("\\d.*")).toList();
        final long running = ofRanks.stream().mapToLong(line -> Long.parseLong(line.split(",")[2])).sum();
        assertEquals(requests.lines().filter(line -> line.contains(",running,")).count(), running);
        final List<String> blocks = rows("--moment=1", "--show=blocks").lines().skip(1).toList();
        final long owned = ofRanks.stream().mapToLong(line -> Long.parseLong(line.split(",")[8])).sum();
        assertEquals(blocks.stream().filter(line -> line.contains(",owned,")).count(), owned);
        assertEquals(rows("--moment=1").lines().filter(line -> line.startsWith("1,")).count(),
            rows("--moment=1", "--rank=1").lines().skip(1).count());
    }

    @Test
    void shouldWriteAMomentAsParquet() throws SQLException
    {
        for (final String show : List.of("requests", "ranks", "blocks"))
        {
            final Path file = directory.resolve(show + ".parquet");
            final CommandRun run = inspect("--moment=1", "--show=" + show, "--parquet=" + file);
            assertEquals(0, run.exitCode(), run.err());
            assertTrue(run.out().contains("\nrecord            ") && run.out().contains("\nread from         "), run.out());
            assertEquals(List.of(List.of(String.valueOf(rows("--moment=1", "--show=" + show).lines().count() - 1))),
                DuckDb.query("select count(*) from '" + file + "'"));
        }
    }

    @Test
    void shouldAnswerTheSameFromSnapshotsAndNameADamagedOne() throws IOException
    {
        final String before = rows("--at=1500", "--show=blocks");
        final CommandRun written = CommandRun.of("snapshot", journal, "--every=400");
        assertEquals(0, written.exitCode(), written.err());
        assertTrue(written.out().contains("folded"), written.out());
        assertEquals(before, rows("--at=1500", "--show=blocks"));
        assertTrue(inspect("--at=1500").out().contains("record 1,199, by a snapshot"), inspect("--at=1500").out());

        final Path used = Path.of(journal, "snapshots", "snapshot-0000000000001200");
        final byte[] bytes = Files.readAllBytes(used);
        bytes[bytes.length / 2] ^= 1;
        Files.write(used, bytes);
        assertEquals(before, rows("--at=1500", "--show=blocks"));
        final String told = inspect("--at=1500").out();
        assertTrue(told.contains("record 799, by a snapshot"), told);
        assertTrue(
            told.contains("snapshot-0000000000001200 is passed over: its bytes are not those that were written."), told);

        bytes[bytes.length / 2] ^= 1;
        Files.write(used, bytes);
        assertFalse(inspect("--at=1500").out().contains("passed over"));
        assertNotEquals(before, rows("--at=1600", "--show=blocks"));
    }

    @Test
    void shouldRefuseWhatMakesNoSense()
    {
        assertRefused("--moment and --at ask two questions", "--moment=1", "--at=2");
        assertRefused("record -1 is negative", "--at=-1");
        assertRefused("record 99999999 is none of", "--at=99999999");
        assertRefused("--show='x' is not known; give requests, ranks or blocks", "--at=1", "--show=x");
        assertRefused("--show belongs to inspect request, inspect placements and inspect moment", "--show=ranks");
        assertRefused("--moment and --requests ask two questions", "--moment=1", "--requests");
        assertRefused("--slowest belongs to inspect requests, not to inspect moment", "--at=1", "--slowest=2");
        assertRefused("rank 2 is none of the run's, which are 0 to 1", "--at=1", "--rank=2");
        assertRefused("MOMENT=9.0E12 is not between", "--moment=9e12");
        assertRefused("--csv and --json exclude each other", "--moment=1", "--csv", "--json");
    }
}
