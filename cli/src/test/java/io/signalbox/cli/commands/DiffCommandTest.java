// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DiffCommandTest
{
    @TempDir
    private static Path directory;
    private static Path journal;
    private static Path turns;

    @BeforeAll
    static void simulate()
    {
        journal = simulate("journal");
        turns = simulate("turns", "--router", "round-robin");
    }

    private static Path simulate(final String name, final String... options)
    {
        final Path path = directory.resolve(name);
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--conversations", "10", "--ranks", "4",
            "--no-verify", "--journal", path.toString()));
        arguments.addAll(List.of(options));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return path;
    }

    private static Map<String, String> json(final int exitCode, final Path left, final Path right)
    {
        final CommandRun run = CommandRun.of("diff", left.toString(), right.toString(), "--json");
        assertEquals(exitCode, run.exitCode(), run.err());
        return JsonText.leaves(run.out());
    }

    @Test
    void shouldCallTheSameRunEqual()
    {
        final Map<String, String> diff = json(ExitCode.OK, journal, simulate("again"));

        assertEquals("true", diff.get("equal"));
        assertEquals(diff.get("left.digest"), diff.get("right.digest"));
        assertEquals(diff.get("left.groups"), diff.get("equalGroups"));
        assertEquals(diff.get("requests.compared"), diff.get("requests.equal"));
        final CommandRun text = CommandRun.of("diff", journal.toString(), journal.toString());
        assertEquals(ExitCode.OK, text.exitCode(), text.err());
        assertTrue(text.out().contains("settings          equal\nevents            all "), text.out());
    }

    /** Figures are those of the reports, of two journals and of more. */
    @Test
    void shouldPrintTheFiguresOfEachRun()
    {
        final Map<String, String> two = json(ExitCode.CHECK_FAILED, journal, turns);
        final CommandRun all = CommandRun.of("diff", journal.toString(), turns.toString(), journal.toString(), "--json",
            "--slo", "ttft=20ms");
        assertEquals(ExitCode.OK, all.exitCode(), all.err());
        final Map<String, String> three = JsonText.leaves(all.out());
        final List<Path> runs = List.of(journal, turns, journal);
        for (int i = 0; i < runs.size(); i++)
        {
            final Map<String, String> report = JsonText.leaves(
                CommandRun.of("inspect", "run", runs.get(i).toString(), "--slo", "ttft=20ms", "--json").out());
            final String p99 = report.get("latency.ttft.p99Ms");
            assertEquals(p99, three.get("runs[" + i + "].figures.ttftP99Ms.value"));
            assertEquals(i < 2 ? p99 : null, two.get("runs[" + i + "].figures.ttftP99Ms.value"));
            assertEquals(report.get("goodput.share"), three.get("runs[" + i + "].figures.goodputShare.value"));
        }
        assertNotEquals(two.get("runs[0].figures.ttftP99Ms.value"), two.get("runs[1].figures.ttftP99Ms.value"));
        assertEquals("round-robin", three.get("settings.router.label[1]"));
        final String text = CommandRun.of("diff", journal.toString(), turns.toString(), journal.toString()).out();
        assertTrue(text.contains("\nTTFT p99, ms") && text.contains("\nrouter.label"), text);
    }

    @Test
    void shouldNameSettingsThenTheFirstEventThenTheRequests()
    {
        final Map<String, String> diff = json(ExitCode.CHECK_FAILED, journal, turns);

        assertEquals("signalbox", diff.get("settings.router.label.left"));
        assertEquals("round-robin", diff.get("settings.router.label.right"));
        assertEquals("Placed", diff.get("first.fields.message.left"));
        assertEquals("0", diff.get("first.fields.rank.right"));
        final String score = "first.fields.candidates[0].score.";
        assertNotEquals(diff.get(score + "left"), diff.get(score + "right"));
        assertEquals(diff.get("first.leftRecord"), diff.get("first.rightRecord"));
        assertNotEquals("0", diff.get("requests.placedElsewhere"));
        assertEquals("0", diff.get("requests.otherOutcome"));
        assertEquals("0", diff.get("requests.onlyLeft"));
        final String text = CommandRun.of("diff", journal.toString(), turns.toString()).out();
        final List<Integer> places = Stream.of("settings ", "* router.label", "first difference  message 1 of the group, ",
            "* rank ", "requests  ", "The most different requests").map(text::indexOf).toList();
        assertEquals(places.stream().sorted().toList(), places, text);
        assertTrue(places.get(0) > 0, text);
    }

    /** The number of requests that are placed elsewhere is what the what-if of one run says of the other. */
    @Test
    void shouldFindTheRequestsThatAWhatIfPredicted()
    {
        final CommandRun run = CommandRun.of("whatif", journal.toString(), "--router", "round-robin", "--json");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final Map<String, String> predicted = JsonText.leaves(run.out());
        final Map<String, String> diff = json(ExitCode.CHECK_FAILED, journal, turns);
        final CommandRun real = CommandRun.of("whatif", turns.toString(), "--json");

        assertEquals(predicted.get("variants[0].decisions.placements.different"), diff.get("requests.placedElsewhere"));
        assertEquals(predicted.get("variants[0].decisions.admissions.different"), diff.get("requests.otherCachedTokens"));
        assertEquals(JsonText.leaves(real.out()).get("recorded.decisionDigest"),
            predicted.get("variants[0].decisions.digest"));
    }

    @Test
    void shouldCompareWhatOneJournalHasMore()
    {
        final Map<String, String> diff = json(ExitCode.CHECK_FAILED, journal, simulate("fewer", "--limit", "30"));

        assertEquals("30", diff.get("requests.compared"));
        assertEquals("0", diff.get("requests.onlyRight"));
        assertNotEquals("0", diff.get("requests.onlyLeft"));
    }

    /** A trace numbers its requests by the order of their Submits, which is not that of the ids of conversations. */
    @Test
    void shouldMatchRequestsByLengthIfATraceNumberedThemAnew()
    {
        final Path trace = directory.resolve("trace.jsonl");
        final CommandRun run = CommandRun.of("trace", journal.toString(), "--out", trace.toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final Path again = directory.resolve("of-trace");
        final CommandRun simulated = CommandRun.of("simulate", "--trace", trace.toString(), "--ranks", "4", "--no-verify",
            "--journal", again.toString());
        assertEquals(ExitCode.OK, simulated.exitCode(), simulated.err());
        final Map<String, String> diff = json(ExitCode.CHECK_FAILED, journal, again);

        assertEquals("length", diff.get("requests.matchedBy"));
        assertEquals("0", diff.get("requests.otherPrompt"));
        assertEquals("0", diff.get("requests.onlyLeft"));
        assertEquals("0", diff.get("requests.onlyRight"));
        // The trace has no tokens, so that blocks which decoding filled have other hashes; the rest is the same run.
        assertEquals("0", diff.get("requests.otherOutcome"));
        assertEquals("id", json(ExitCode.OK, journal, journal).get("requests.matchedBy"));
        assertTrue(CommandRun.of("diff", journal.toString(), again.toString()).out()
            .contains("matched by the length of prompts"));
    }

    /** Prompts of one block and one token each, of which only the last token differs. */
    @Test
    void shouldCompareTheTokensBehindTheLastWholeBlock() throws IOException
    {
        final Map<String, String> diff = json(ExitCode.CHECK_FAILED, served("one", "2"), served("two", "3"));

        assertEquals("1", diff.get("requests.compared"));
        assertEquals("1", diff.get("requests.otherPrompt"));
    }

    private static Path served(final String name, final String lastToken) throws IOException
    {
        final Path prompts = Files.writeString(directory.resolve(name + ".jsonl"),
            "{\"prompt\":[" + "1,".repeat(16) + lastToken + "],\"max_new_tokens\":1}\n");
        final CommandRun run = CommandRun.of("run", "--no-verify", "--prompts", prompts.toString(), "--journal",
            directory.resolve(name).toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return directory.resolve(name);
    }

    @Test
    void shouldRefuseInOneSentence() throws IOException
    {
        final CommandRun absent = CommandRun.of("diff", journal.toString(), directory.resolve("absent").toString());
        assertEquals(ExitCode.BAD_INPUT, absent.exitCode());
        assertEquals(1, absent.err().lines().count(), absent.err());
        assertTrue(absent.err().contains("absent"), absent.err());
        assertEquals(ExitCode.BAD_INPUT, CommandRun.of("diff", journal.toString()).exitCode());

        final Path damaged = simulate("damaged");
        final Path segment = damaged.resolve("segment-00000").resolve("19700101F.cq4");
        final byte[] bytes = Files.readAllBytes(segment);
        bytes[200_000] ^= 1;
        Files.write(segment, bytes);
        final CommandRun refused = CommandRun.of("diff", journal.toString(), damaged.toString());
        assertEquals(ExitCode.CHECK_FAILED, refused.exitCode(), refused.err());
        assertEquals("", refused.out());
        assertTrue(refused.err().contains(damaged.toString()), refused.err());
    }
}
