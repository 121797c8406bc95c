// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.StopNotice;
import io.signalbox.printing.Decimals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SimulateCommandTest
{
    private static final List<String> KEYS = List.of(
        "requests.submitted", "requests.completed", "requests.cancelled", "requests.missedDeadlines",
        "requests.abortedByNewWeights", "requests.failed", "requests.refused",
        "throughput.completedRequestsPerSecond", "throughput.outputTokensPerSecond",
        "prefixCache.tokenHitRate", "prefixCache.blockHitRate", "prefixCache.perRank[7].tokenHitRate",
        "emptySteps", "preemptions", "pauses", "evictions", "placements.configuredRouter", "placements.placements",
        "placements.byRouter.signalbox", "placements.byFallback", "placements.onHints", "placements.bound",
        "placements.gateClosed", "placements.ties.seeded-order", "blockOccupancy[7].mean", "blockOccupancy[7].peak",
        "routedExperts.captured", "routedExperts.inherited", "routedExperts.missing", "routedExperts.loadSkew.maxOverMean",
        "journal.path", "journal.records", "journal.bytes", "journal.digest", "journal.verified",
        "simulatedSeconds", "wallClock.seconds", "wallClock.requestsPerSecond");

    @TempDir
    private Path directory;

    @Test
    void shouldPrintEveryKeyOfTheReportAsJson()
    {
        final Map<String, String> report = json("--seed", "5");

        KEYS.forEach(key -> assertTrue(report.containsKey(key), "no " + key));
        for (final String latency : List.of("ttft", "tpot", "itl", "e2e"))
        {
            for (final String figure : List.of("meanMs", "p50Ms", "p90Ms", "p99Ms", "maxMs"))
            {
                assertTrue(Double.parseDouble(report.get("latency." + latency + "." + figure)) > 0.0, latency + figure);
            }
        }
        assertEquals(report.get("requests.submitted"), report.get("requests.completed"));
        assertEquals("0", report.get("routedExperts.missing"));
        assertEquals("true", report.get("journal.verified"));
        assertTrue(report.get("journal.digest").matches("[0-9a-f]{16}"), report.get("journal.digest"));
    }

    @Test
    void shouldPrintTheSameBytesForTheSameSeed()
    {
        final CommandRun first = simulate("--seed", "5");
        delete(journal());
        final CommandRun second = simulate("--seed", "5");

        assertEquals(first.out(), second.out());
        delete(journal());
        assertEquals(withoutWallClock(json("--seed", "6")), withoutWallClock(json("--seed", "6")));
    }

    @Test
    void shouldGiveAnotherDigestForAnotherSeed()
    {
        assertNotEquals(json("--seed", "5").get("journal.digest"), json("--seed", "6").get("journal.digest"));
    }

    @Test
    void shouldGiveTheSameDigestThreadedAndStepped()
    {
        final Map<String, String> stepped = json("--seed", "7", "--cancel-fraction", "0.2");
        final Map<String, String> threaded = json("--seed", "7", "--cancel-fraction", "0.2", "--threaded");

        assertEquals(withoutWallClock(stepped), withoutWallClock(threaded));
        assertNotEquals("0", stepped.get("requests.cancelled"));
    }

    @Test
    void shouldKnowPlaysOfAgentsByTheirContent()
    {
        final String plays = "../backend-sim/src/test/resources/traces/agent_plays.jsonl";
        final CommandRun run = CommandRun.of(List.of("simulate", "--trace", plays, "--plays", "1", "--max-think-time", "3",
            "--json", "--journal", journal().toString()));

        final Map<String, String> report = read(run);
        assertEquals("11", report.get("requests.completed"));
        assertEquals("agent", report.get("settings.workload.kind"));
        assertEquals("3000000000", report.get("settings.workload.maxThinkTimeNanos"));
        assertEquals("true", report.get("journal.verified"));
    }

    @Test
    void shouldVerifyTheJournalOfRanksInLockStep()
    {
        final Map<String, String> stepped = json("--seed", "7", "--lock-step");
        final Map<String, String> threaded = json("--seed", "7", "--lock-step", "--threaded");

        assertEquals("true", stepped.get("journal.verified"));
        assertEquals("true", stepped.get("settings.scheduler.lockStep"));
        assertNotEquals("0", stepped.get("emptySteps"));
        assertEquals("0", json("--limit", "20").get("emptySteps"), "ranks on their own have no empty steps");
        assertEquals(withoutWallClock(stepped), withoutWallClock(threaded));
    }

    @Test
    void shouldPrintTheSameReportWithAndWithoutJournal()
    {
        final Map<String, String> with = withoutWallClock(json("--seed", "8"));
        final Map<String, String> without =
            withoutWallClock(read(CommandRun.of(arguments(List.of("--seed", "8", "--no-journal", "--json")))));

        with.keySet().removeIf(key -> key.startsWith("journal"));
        assertEquals("null", without.remove("journal"));
        assertEquals(with, without);
    }

    @Test
    void shouldSayThatItVerifiedItsJournal()
    {
        final CommandRun verified = simulate();
        delete(journal());
        final CommandRun unverified = simulate("--no-verify");

        assertTrue(verified.out().contains("verified          yes: all "), verified.out());
        assertTrue(unverified.out().contains("verified          not asked for"), unverified.out());
        assertEquals(ExitCode.OK, unverified.exitCode());
    }

    @Test
    void shouldKeepWallClockAndPathOffStandardOutput()
    {
        final CommandRun run = simulate();

        assertTrue(run.err().contains("wall clock"), run.err());
        assertTrue(run.err().contains(journal().toString()), run.err());
        assertFalse(run.out().contains("wall"), run.out());
        assertFalse(run.out().contains(journal().toString()), run.out());
    }

    @Test
    void shouldRunWithoutCapture()
    {
        final Map<String, String> report = json("--no-capture");

        assertEquals("0", report.get("routedExperts.captured"));
        assertEquals("null", report.get("routedExperts.loadSkew"));
        assertTrue(simulate("--no-capture").out().contains("routed experts    capture was off"));
    }

    @Test
    void shouldCaptureCombineWeightsBesideTheSameIds()
    {
        final Map<String, String> ids = json();
        final Map<String, String> weights = json("--combine-weights");

        assertEquals("true", weights.get("journal.verified"));
        assertEquals("true", weights.get("settings.model.combineWeights"));
        assertFalse(ids.containsKey("settings.model.combineWeights"));
        assertNotEquals(ids.get("journal.digest"), weights.get("journal.digest"));
        for (final String same : List.of("routedExperts.captured", "routedExperts.inherited", "routedExperts.missing",
            "routedExperts.loadSkew.maxOverMean", "latency.ttft.p99Ms", "throughput.outputTokensPerSecond"))
        {
            assertEquals(ids.get(same), weights.get(same), same);
        }
        assertEquals(
            weights.get("journal.digest"), json("--combine-weights", "--threaded").get("journal.digest"));
        assertTrue(simulate("--combine-weights").out().contains(" missing; with combine weights"));
        final CommandRun refused = CommandRun.of("simulate", "--combine-weights", "--no-capture");
        assertEquals(ExitCode.BAD_INPUT, refused.exitCode());
        assertEquals("signalbox simulate: --combine-weights needs --capture, and it is off; leave " +
            "it out, or change the other.", refused.err().strip());
    }

    @Test
    void shouldSayHowRequestsWerePlaced()
    {
        final Map<String, String> bound = json("--router", "conversation");
        assertEquals(bound.get("requests.submitted"), bound.get("placements.byRouter.conversation"));
        assertEquals("0", bound.get("placements.byFallback"));
        assertNotEquals("0", bound.get("placements.bound"));
        final CommandRun run = simulate("--router", "kv-aware", "--no-prefix-caching");
        final String count = Decimals.grouped(Long.parseLong(bound.get("requests.submitted")));
        assertTrue(run.out().contains("placements        " + count + " by default, of them " + count +
            " in place of kv-aware; 0 on hints, 0 bound by conversation, 0 with the gate closed\nties broken "), run.out());
    }

    @Test
    void shouldRunOnlyTheFirstRequestsOfATrace() throws IOException
    {
        final Path trace = Files.writeString(directory.resolve("trace.jsonl"), """
            {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]}
            {"timestamp": 10, "input_length": 700, "output_length": 5, "hash_ids": [1, 3]}
            {"timestamp": 20, "input_length": 800, "output_length": 5, "hash_ids": [1, 4]}
            """);

        final Map<String, String> report = json("--trace", trace.toString(), "--limit", "2", "--ranks", "8");
        assertEquals("2", report.get("requests.completed"));
        assertEquals("1300", report.get("prefixCache.promptTokens"));
    }

    @Test
    void shouldPrintNoFigureWhereNothingWasMeasured()
    {
        final Map<String, String> report =
            json("--output-tokens", "fixed:1", "--limit", "1", "--ranks", "2", "--router", "default");

        assertEquals("null", report.get("latency.tpot.meanMs"), "one token has no time after the first");
        assertEquals("null", report.get("latency.itl.maxMs"));
        assertEquals("null", report.get("prefixCache.perRank[1].tokenHitRate"), "the second rank had no request");
        final String text = simulate("--output-tokens", "fixed:1", "--limit", "1").out();
        assertTrue(text.contains("TPOT                         \u2013           \u2013"), text);
    }

    @Test
    void shouldCountWhatWasNeverSubmitted()
    {
        final Map<String, String> whole = json();
        final Map<String, String> limited = json("--limit", "5");
        assertEquals("0", whole.get("requests.leftOut"));
        assertEquals(Integer.toString(Integer.parseInt(whole.get("requests.submitted")) - 5),
            limited.get("requests.leftOut"));

        final Map<String, String> cancelled = json("--cancel-fraction", "1", "--cancel-after", "0.001");
        assertEquals(whole.get("requests.submitted"), Integer.toString(
            Integer.parseInt(cancelled.get("requests.submitted")) + Integer.parseInt(cancelled.get("requests.neverAsked"))));
        assertNotEquals("0", cancelled.get("requests.neverAsked"));
        assertTrue(simulate("--limit", "5").out().contains(" left out by --limit"));
    }

    @Test
    void shouldSumUpManyRanks()
    {
        final String few = simulate("--ranks", "64").out();
        delete(journal());
        final String many = simulate("--ranks", "65").out();

        assertEquals(68, few.lines().dropWhile(line -> !line.startsWith("rank ")).takeWhile(line -> !line.isEmpty())
            .count() + 2, "a head, 64 ranks and their sum");
        assertEquals(List.of("min", "median", "max"), many.lines().dropWhile(line -> !line.startsWith("rank ")).skip(1)
            .limit(3).map(line -> line.strip().split(" ")[0]).toList());
    }

    @Test
    void shouldSayWhatAStoppedRunLeaves()
    {
        final String notice = StopNotice.text("simulate", journal());

        assertTrue(notice.contains("'signalbox replay " + journal() + " --recover'"), notice);
    }

    @Test
    void shouldChangeDecisionsWithRouterAndEviction()
    {
        final String digest = json().get("journal.digest");

        assertNotEquals(digest, json("--router", "kv-aware").get("journal.digest"));
        assertEquals("0", json("--no-prefix-caching").get("prefixCache.tokenHitRate"));
    }

    private Path journal()
    {
        return directory.resolve("journal");
    }

    private CommandRun simulate(final String... options)
    {
        final List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("--journal", journal().toString()));
        final CommandRun run = CommandRun.of(arguments(all));
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run;
    }

    /** The report of a run whose journal is gone when this returns, so that the next run can have the same path. */
    private Map<String, String> json(final String... options)
    {
        final List<String> all = new ArrayList<>(List.of(options));
        all.add("--json");
        final Map<String, String> report = read(simulate(all.toArray(new String[0])));
        delete(journal());
        return report;
    }

    private static List<String> arguments(final List<String> options)
    {
        final List<String> all = new ArrayList<>(List.of("simulate"));
        if (!options.contains("--trace"))
        {
            all.addAll(List.of("--conversations", "12"));
        }
        all.addAll(options);
        return all;
    }

    private static Map<String, String> read(final CommandRun run)
    {
        return JsonText.leaves(run.out());
    }

    private static Map<String, String> withoutWallClock(final Map<String, String> report)
    {
        report.keySet().removeIf(key -> key.startsWith("wallClock."));
        return report;
    }

    static void delete(final Path directory)
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path file : files.sorted((first, second) -> second.compareTo(first)).toList())
            {
                Files.delete(file);
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
