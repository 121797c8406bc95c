// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code inspect --accepted-drafts} and {@code --draft-acceptance-file}, from one run to the next. */
class DraftAcceptanceFileTest
{
    @TempDir
    private Path directory;
    private Path series;
    private CommandRun seeded;

    @BeforeEach
    void record() throws IOException
    {
        seeded = simulate("seeded", "--draft-acceptance", "0.6");
        final CommandRun inspected =
            CommandRun.of("inspect", directory.resolve("seeded").toString(), "--accepted-drafts");
        assertEquals(ExitCode.OK, inspected.exitCode(), inspected.err());
        series = Files.writeString(directory.resolve("accepted.jsonl"), inspected.out());
    }

    private CommandRun simulate(final String journal, final String... more)
    {
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--conversations", "6", "--limit", "20",
            "--ranks", "2", "--draft-tokens", "3", "--journal", directory.resolve(journal).toString(), "--json"));
        arguments.addAll(List.of(more));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run;
    }

    /** The report without what differs in every two runs. */
    private static Map<String, String> report(final CommandRun run)
    {
        final Map<String, String> leaves = new TreeMap<>(JsonText.leaves(run.out()));
        leaves.keySet().removeIf(key -> key.startsWith("wallClock.") || key.startsWith("journal.") ||
            key.startsWith("settings.sim.acceptanceSeries.") || key.equals("settings.sim.draftAcceptance"));
        return leaves;
    }

    @Test
    void shouldRepeatTheRunWhoseCountsWereTaken() throws IOException
    {
        final CommandRun recorded = simulate("recorded", "--draft-acceptance-file", series.toString());
        final Map<String, String> leaves = JsonText.leaves(recorded.out());

        assertEquals(20, Files.readAllLines(series).size());
        assertEquals(report(seeded), report(recorded));
        assertEquals("true", leaves.get("journal.verified"));
        assertEquals("accepted.jsonl", leaves.get("settings.sim.acceptanceSeries.file"));
        assertFalse(leaves.containsKey("settings.sim.draftAcceptance"));
        assertEquals(Files.readString(series),
            CommandRun.of("inspect", directory.resolve("recorded").toString(), "--accepted-drafts").out());
        final CommandRun replay = CommandRun.of("replay", directory.resolve("recorded").toString(), "--verify");
        assertEquals(ExitCode.OK, replay.exitCode(), replay.out() + replay.err());
    }

    @Test
    void shouldCountRequestsThatHadNotEnded()
    {
        final Path stopped = StoppedJournal.write(directory.resolve("stopped"), 40);
        final long unfinished = CommandRun.of("inspect", stopped.toString(), "--requests", "--csv").out().lines()
            .filter(line -> line.endsWith(",unfinished")).count();

        assertTrue(unfinished > 1, unfinished + " requests");
        assertEquals(
            "signalbox inspect: left out: later steps of " + unfinished + " requests that had not ended.\n",
            CommandRun.of("inspect", stopped.toString(), "--accepted-drafts").err());
    }

    @Test
    void shouldNameAnotherSeriesByItsContent() throws IOException
    {
        final String first = JsonText.leaves(simulate("a", "--draft-acceptance-file", series.toString()).out())
            .get("settings.sim.acceptanceSeries.contentHash");
        Files.writeString(series, Files.readString(series).replaceFirst("3", "2").replaceFirst("\\]", ", 3]"));
        final String second = JsonText.leaves(simulate("b", "--draft-acceptance-file", series.toString()).out())
            .get("settings.sim.acceptanceSeries.contentHash");
        assertNotEquals(first, second);
    }

    private String refusal(final String content, final String... options) throws IOException
    {
        Files.writeString(series, content);
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--conversations", "6", "--limit", "20",
            "--journal", directory.resolve("none").toString(), "--draft-acceptance-file", series.toString()));
        arguments.addAll(List.of(options));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals("", run.out());
        assertEquals(1, run.err().strip().lines().count(), run.err());
        assertFalse(Files.exists(directory.resolve("none")));
        return run.err();
    }

    @Test
    void shouldRefuseASeriesThatDoesNotFitTheRun() throws IOException
    {
        final String counts = Files.readString(series);
        assertTrue(refusal(counts, "--draft-tokens", "2").contains(
            "accepted.jsonl, line 1, has a count of 3 accepted draft tokens, more than a step may have with " +
            "--draft-tokens=2; allow at least 3 draft tokens, or correct the line."));
        assertTrue(refusal("{\"accepted\":[1]}\n", "--draft-tokens", "3").contains(
            "accepted.jsonl has lines for 1 of the 20 requests of the workload; give one line per request, or run fewer"));
        assertTrue(refusal("{\"accepted\":[1]}\n".repeat(20), "--draft-tokens", "3").contains(
            "accepted.jsonl, line 1, tells of 3 generated tokens (one, and one more than each count), and request 1 of"));
        assertTrue(refusal(counts, "--draft-tokens", "3", "--json-file", series.toString()).contains(
            " is the input of --draft-acceptance-file, which it would replace; give another file."));
        assertEquals(counts, Files.readString(series));
    }
}
