// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.journal.JournalReader;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.stats.EngineStats;
import io.signalbox.stats.Latency;
import io.signalbox.stats.LiveFigures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Figures that two commands print are equal: the report of a run as JSON and as text, the report that {@code inspect} makes
 * of its journal, the sums of its tables, {@code whatif}, {@code trace}, {@code replay}, {@code runs} and {@code compare},
 * and the live figures of the same groups. The simulated runs have drafts, preemptions, cancellations, lost ranks, refused
 * requests and tenants, and begin at a Unix time; the engine's run has drafts and stops within them.
 */
class TwiceToldFiguresTest
{
    /** The journal does not have requests that clients left out, the plan of faults, or the duration on this machine. */
    private static final String OF_THE_RUN_ONLY =
        "requests\\.(neverAsked|leftOut)|faults(\\..*)?|wallClock(\\..*)?|journal\\.verified";
    private static final String LAST_COLUMN = "end";
    private static final double MILLIS = 1e-6;
    /** A number that is not a part of a word such as p50. */
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.,])-?\\d[\\d,]*(?:\\.\\d+)?(?![\\w.])");
    private static final String NO_DATA = "\u2013";

    @TempDir
    private Path directory;
    private String journal;

    private static String output(final List<String> arguments)
    {
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run.out();
    }

    private Map<String, String> inspected(final String... question)
    {
        final List<String> arguments = new ArrayList<>(List.of("inspect", journal, "--json"));
        arguments.addAll(List.of(question));
        return JsonText.leaves(output(arguments));
    }

    private static Map<String, String> shared(final Map<String, String> report)
    {
        final Map<String, String> shared = new TreeMap<>(report);
        shared.keySet().removeIf(field -> field.matches(OF_THE_RUN_ONLY));
        return shared;
    }

    /** Sum of a column over all rows of a table; of the rows with this end if one is given. */
    private static double sum(final Map<String, String> table, final String column, final String end)
    {
        double sum = 0.0;
        for (int row = 0; table.containsKey("rows[" + row + "]." + column); row++)
        {
            final String value = table.get("rows[" + row + "]." + column);
            final boolean counts = end == null || end.equals(table.get("rows[" + row + "]." + LAST_COLUMN));
            sum += counts && !value.equals("null") ? Double.parseDouble(value) : 0.0;
        }
        return sum;
    }

    private static long ends(final Map<String, String> table, final String end)
    {
        return table.entrySet().stream()
            .filter(field -> field.getKey().endsWith("]." + LAST_COLUMN) && field.getValue().equals(end)).count();
    }

    private static double number(final Map<String, String> document, final String field)
    {
        assertTrue(document.containsKey(field), field + " in " + document.keySet());
        return Double.parseDouble(document.get(field));
    }

    private void assertTablesAddUp(final Map<String, String> report, final int ranks)
    {
        final Map<String, String> requests = inspected("--requests");
        assertEquals(number(report, "requests.completed"), ends(requests, "length") + ends(requests, "stop"));
        assertEquals(number(report, "requests.cancelled"), ends(requests, "cancelled"));
        assertEquals(number(report, "requests.submitted"),
            requests.keySet().stream().filter(field -> field.endsWith("].request")).count());
        assertEquals(number(report, "throughput.outputTokens"), sum(requests, "tokens", null));
        assertEquals(number(report, "preemptions"), sum(requests, "preemptions", null));
        assertEquals(number(report, "pauses"), sum(requests, "pauses", null));
        assertEquals(number(report, "latency.ttft.meanMs") * number(report, "latency.ttft.count"),
            sum(requests, "ttftMs", null), 1e-3);
        assertEquals(number(report, "latency.e2e.meanMs") * number(report, "latency.e2e.count"),
            sum(requests, "totalMs", "length") + sum(requests, "totalMs", "stop"), 1e-3);
        assertEquals(number(report, "prefixCache.matchedBlocks"), sum(requests, "matchedBlocks", null));
        assertEquals(number(report, "requests.refused"), requests.entrySet().stream().filter(field ->
            field.getKey().endsWith("]." + LAST_COLUMN) && field.getValue().startsWith("refused: ")).count());
        if (report.containsKey("faults.restarts"))
        {
            assertEquals(number(report, "faults.restarts"), sum(requests, "restarts", null));
        }
        if (report.containsKey("tenants[0].name"))
        {
            for (final String field : List.of("submitted", "completed"))
            {
                assertEquals(number(report, "requests." + field), of(report, "tenants", field), field);
            }
            assertEquals(number(report, "latency.ttft.count"), of(report, "tenants", "ttft.count"));
        }
        // Each gap between two tokens: a request has one gap fewer than tokens.
        assertEquals(number(report, "throughput.outputTokens") - number(report, "latency.ttft.count"),
            number(report, "latency.itl.count"));
        assertRanksAddUp(report, ranks);
        final double listed = Arrays.stream(output(List.of("inspect", journal, "--accepted-drafts")).split("[^0-9]+"))
            .filter(count -> !count.isEmpty()).mapToDouble(Double::parseDouble).sum();
        assertEquals(number(report, "inFlight.acceptedDrafts"), listed);
    }

    private void assertRanksAddUp(final Map<String, String> report, final int ranks)
    {
        final Map<String, Double> sums = new TreeMap<>();
        for (int rank = 0; rank < ranks; rank++)
        {
            final Map<String, String> table = inspected("--rank=" + rank, "--every=0.5");
            for (final String column : List.of("steps", "emitted", "computedMs", "evictions", "preemptions", "pauses"))
            {
                sums.merge(column, sum(table, column, null), Double::sum);
            }
            assertEquals(number(report, "tokensPerRank[" + rank + "]"), sum(table, "tokens", null));
        }
        assertEquals(number(report, "steps"), sums.get("steps"));
        assertEquals(number(report, "throughput.outputTokens"), sums.get("emitted"));
        assertEquals(number(report, "evictions"), sums.get("evictions"));
        assertEquals(number(report, "preemptions"), sums.get("preemptions"));
        assertEquals(number(report, "pauses"), sums.get("pauses"));
        assertEquals(number(report, "inFlight.computeNanos") * MILLIS, sums.get("computedMs"), 1e-3);
    }

    /** Sum of a field over the elements of an array. */
    private static double of(final Map<String, String> report, final String array, final String field)
    {
        return report.keySet().stream().filter(name -> name.matches(array + "\\[\\d+]\\." + Pattern.quote(field)))
            .mapToDouble(name -> number(report, name)).sum();
    }

    /** Checks the numbers of the line with this label, in their order; a figure that was not measured is {@code null}. */
    private static void assertLine(
        final String text, final String label, final double tolerance, final Map<String, String> report,
        final String... fields)
    {
        final String line = text.lines().filter(each -> each.startsWith(label + " ")).findFirst().orElseThrow();
        final List<Double> printed = NUMBER.matcher(line.substring(label.length()).replace(NO_DATA, "-1")).results()
            .map(found -> Double.parseDouble(found.group().replace(",", ""))).toList();
        assertEquals(fields.length, printed.size(), line);
        for (int i = 0; i < fields.length; i++)
        {
            final boolean percent = fields[i].contains("Rate") || fields[i].startsWith("blockOccupancy");
            final double value = report.get(fields[i]).equals("null") ? -1 : number(report, fields[i]) * (percent ? 100 : 1);
            assertEquals(value, printed.get(i), tolerance, fields[i] + " in " + line);
        }
    }

    /** The text of a report has the numbers of the same report as JSON, rounded. */
    private static void assertTextAgrees(final Map<String, String> json, final String text, final int ranks)
    {
        final Map<String, String> report = new TreeMap<>(json);
        final double drafts = number(report, "inFlight.acceptedDrafts") + number(report, "inFlight.draftsAfterStop") +
            number(report, "inFlight.rejectedDrafts");
        report.put("drafts", Double.toString(drafts));
        report.put("computeSeconds", Double.toString(number(report, "inFlight.computeNanos") / 1e9));
        final double gaps = number(report, "inFlight.gaps");
        report.put("idle", Double.toString(gaps == 0 ? 0 : number(report, "inFlight.idleNanos") * MILLIS / gaps));
        final boolean dead = number(report, "inFlight.deadEntries") > 0;
        final boolean afterStop = number(report, "inFlight.draftsAfterStop") > 0;
        final StringBuilder ends =
            new StringBuilder("requests.submitted requests.completed requests.cancelled requests.failed");
        for (final String end : List.of("missedDeadlines", "abortedByNewWeights", "refused", "unfinished"))
        {
            ends.append(number(report, "requests." + end) > 0 ? " requests." + end : "");
        }
        assertLine(text, "requests", 0, report, fields(ends.toString()));
        assertLine(text, text.contains("simulated time") ? "simulated time" : "time", 6e-4, report, "simulatedSeconds");
        assertLine(text, "throughput", 0.06, report,
            fields("throughput.completedRequestsPerSecond throughput.outputTokensPerSecond"));
        assertLine(text, "steps", 0, report, fields("steps tokens preemptions" +
            (number(report, "pauses") > 0 ? " pauses" : "") + " evictions"));
        if (number(report, "computeSeconds") > 0)
        {
            assertLine(text, "devices", 6e-4, report, fields("computeSeconds idle" + (dead ? " inFlight.deadEntries" : "")));
        }
        assertLine(text, "draft tokens", 0, report,
            fields("drafts inFlight.acceptedDrafts" + (afterStop ? " inFlight.draftsAfterStop" : "")));
        for (final Map.Entry<String, String> latency :
            Map.of("TTFT", "ttft", "TPOT", "tpot", "ITL", "itl", "end to end", "e2e").entrySet())
        {
            final String prefix = "latency." + latency.getValue() + ".";
            assertLine(text, latency.getKey(), 6e-3, report, prefix + "meanMs", prefix + "p50Ms", prefix + "p90Ms",
                prefix + "p99Ms", prefix + "maxMs");
        }
        for (int i = 0; report.containsKey("tenants[" + i + "].name"); i++)
        {
            final String prefix = "tenants[" + i + "].";
            assertLine(text, "tenant " + report.get(prefix + "name"), 6e-3, report, prefix + "submitted",
                prefix + "completed", prefix + "servedTokens", prefix + "ttft.p50Ms", prefix + "ttft.p99Ms");
        }
        assertRanksAgree(report, text, ranks);
    }

    private static String[] fields(final String names)
    {
        return names.split(" ");
    }

    private static void assertRanksAgree(final Map<String, String> report, final String text, final int ranks)
    {
        for (int rank = 0; rank < ranks; rank++)
        {
            final String cache = "prefixCache.perRank[" + rank + "].";
            final String occupancy = "blockOccupancy[" + rank + "].";
            assertLine(text, Integer.toString(rank), 6e-3, report, cache + "admittedRequests", cache + "tokenHitRate",
                cache + "blockHitRate", occupancy + "mean", occupancy + "peak");
        }
        report.put("admitted", Double.toString(of(report, "prefixCache.perRank", "admittedRequests")));
        assertLine(text, "all ranks", 6e-3, report, "admitted", "prefixCache.tokenHitRate", "prefixCache.blockHitRate");
        if (ranks == 1)
        {
            assertEquals(report.get("prefixCache.blockHitRate"), report.get("prefixCache.perRank[0].blockHitRate"));
        }
        assertLine(text, "shared blocks", 0, report, "prefixCache.matchedBlocks", "prefixCache.generatedBlocks",
            "prefixCache.pendingBlocks");
        if (report.containsKey("routedExperts.loadSkew.maxOverMean"))
        {
            assertLine(text, "routed experts", 0, report, "routedExperts.captured", "routedExperts.inherited",
                "routedExperts.missing");
        }
        assertTrue(text.contains("digest " + report.get("journal.digest")), text);
    }

    /** The records of the journal equal {@code replay}, as JSON and as text, and its bytes equal {@code runs}. */
    private void assertJournalAgrees(final Map<String, String> report)
    {
        final Map<String, String> replay = JsonText.leaves(output(List.of("replay", journal, "--verify", "--json")));
        for (final String field : List.of("records", "groups", "digest"))
        {
            assertEquals(report.get("journal." + field), replay.get(field), field);
        }
        final String text = output(List.of("replay", journal, "--verify"));
        assertLine(text, "verified", 0, replay, "records", "groups");
        assertTrue(text.contains(replay.get("digest")), text);
        final String parent = Path.of(journal).getParent().toString();
        final Map<String, String> runs = JsonText.leaves(output(List.of("runs", parent, "--json")));
        assertEquals(number(runs, "bytes"), of(runs, "runs", "bytes"));
        final String row = output(List.of("runs", parent)).lines()
            .filter(line -> line.startsWith(Path.of(journal).getFileName() + " ")).findFirst().orElseThrow();
        final int index = (int)runs.entrySet().stream().takeWhile(
            field -> !field.getValue().equals(Path.of(journal).getFileName().toString()))
            .filter(field -> field.getKey().endsWith("].name")).count();
        assertTrue(row.contains("  " + runs.get("runs[" + index + "].segments") + "  "), row);
        assertTrue(number(runs, "runs[" + index + "].bytes") >= number(report, "journal.bytes"), row);
    }

    /** The live figures of an engine that had the same groups. */
    private EngineStats live()
    {
        try (JournalReader reader = JournalReader.open(Path.of(journal)))
        {
            final SchedulerConfig config = reader.config();
            final LiveFigures figures = new LiveFigures(
                config.ranks(), config.kvBlocks(), config.blockSizeTokens(), 0, "a", "b");
            while (reader.next())
            {
                figures.onGroup(reader.group(), 0, reader.groupLength());
            }
            return figures.stats(null);
        }
    }

    private void assertLiveFiguresAgree(final Map<String, String> report, final int ranks)
    {
        final EngineStats stats = live();
        final EngineStats.RequestFigures requests = stats.requests();
        final Map<String, String> rows = inspected("--requests");
        assertEquals(number(report, "requests.submitted"), requests.accepted() + requests.refused());
        assertEquals(number(report, "requests.refused"), requests.refused());
        assertEquals(number(report, "requests.completed"), requests.completed());
        assertEquals(ends(rows, "stop"), requests.stopped());
        assertEquals(number(report, "requests.cancelled"), requests.cancelled());
        assertEquals(number(report, "requests.missedDeadlines"), requests.missedDeadlines());
        assertEquals(number(report, "requests.abortedByNewWeights"), requests.abortedByNewWeights());
        assertEquals(number(report, "requests.failed"), requests.failed());
        assertEquals(number(report, "preemptions"), requests.preemptions());
        assertEquals(sum(rows, "restarts", null), requests.restarts());
        final EngineStats.StepFigures steps = stats.steps();
        assertEquals(number(report, "steps"), steps.committed() + steps.withdrawn() + steps.inFlight());
        assertEquals(number(report, "throughput.outputTokens"), steps.generatedTokens());
        double withdrawn = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            withdrawn += sum(inspected("--rank=" + rank), "withdrawn", null);
        }
        assertEquals(withdrawn, steps.withdrawn());
        if (withdrawn == 0)
        {
            // The report also counts draft tokens that were not emitted.
            assertEquals(number(report, "tokens") - number(report, "inFlight.rejectedDrafts") -
                number(report, "inFlight.draftsAfterStop"), steps.computedTokens());
            // A counter never falls: live figures keep the matches of an admission whose step was withdrawn.
            assertEquals(number(report, "prefixCache.promptTokens"), stats.prefixCache().queriedTokens());
            assertEquals(number(report, "prefixCache.matchedTokens"), stats.prefixCache().hitTokens());
        }
        assertEquals(number(report, "placements.placements"),
            stats.placements().byRouter() + stats.placements().byFallback());
        assertEquals(number(report, "placements.gateClosed"), stats.placements().gateClosed());
        assertEquals(number(report, "placements.bound"), stats.placements().byConversation());
        assertEquals(number(report, "routedExperts.captured"), stats.rows().captured());
        assertEquals(number(report, "routedExperts.inherited"), stats.rows().inherited());
        assertEquals(number(report, "routedExperts.missing"), stats.rows().missing());
        assertEquals(sum(rows, "queuedMs", null) / MILLIS, stats.queueTime().sumNanos(), 1e3);
        assertLatency(report, "ttft", stats.timeToFirstToken());
        assertLatency(report, "itl", stats.interTokenLatency());
        assertLatency(report, "e2e", stats.endToEnd());
    }

    private static void assertLatency(final Map<String, String> report, final String name, final Latency live)
    {
        final String field = "latency." + name + ".";
        assertEquals(number(report, field + "count"), live.count(), name);
        assertEquals(number(report, field + "meanMs") * live.count() / MILLIS, live.sumNanos(), 1e3, name);
        assertEquals(number(report, field + "p50Ms"), live.p50Nanos() * MILLIS, 1e-9, name);
        assertEquals(number(report, field + "p99Ms"), live.p99Nanos() * MILLIS, 1e-9, name);
        assertEquals(number(report, field + "maxMs"), live.maxNanos() * MILLIS, 1e-9, name);
    }

    private void assertOthersAgree(final Map<String, String> report, final int ranks)
    {
        assertTextAgrees(JsonText.leaves(output(List.of("inspect", journal, "--json"))),
            output(List.of("inspect", journal)), ranks);
        assertJournalAgrees(report);
        assertLiveFiguresAgree(report, ranks);
        final Map<String, String> recorded = JsonText.leaves(output(List.of("whatif", journal, "--json", "--seeds=1")));
        final Map<String, String> names = Map.of("requestsPerSecond", "throughput.completedRequestsPerSecond",
            "outputTokensPerSecond", "throughput.outputTokensPerSecond", "tokenHitRate", "prefixCache.tokenHitRate",
            "computedTokens", "tokens", "steps", "steps", "preemptions", "preemptions", "evictedBlocks", "evictions",
            "ttftP50Ms", "latency.ttft.p50Ms", "e2eP99Ms", "latency.e2e.p99Ms", "completed", "requests.completed");
        names.forEach((name, field) -> assertEquals(
            number(report, field), number(recorded, "recorded.figures." + name + ".value"), 1e-9, name));
        final Map<String, String> trace = JsonText.leaves(output(
            List.of("trace", journal, "--json", "--out", directory.resolve("trace-" + System.nanoTime()).toString())));
        assertEquals(number(report, "requests.submitted"), number(trace, "requests"));
        final Map<String, String> requests = inspected("--requests");
        assertEquals(sum(requests, "promptTokens", null), number(trace, "promptTokens"));
    }

    /** A recorded workload of conversations that begins at a Unix time. */
    private Path lateTrace() throws IOException
    {
        final Path recorded = directory.resolve("recorded");
        output(List.of("simulate", "--conversations=30", "--ranks=2", "--max-context=2048", "--no-verify",
            "--tenants=a=2,b=1", "--cancel-fraction=0.2", "--cancel-after=1", "--journal=" + recorded));
        final Path trace = directory.resolve("trace.jsonl");
        output(List.of("trace", recorded.toString(), "--out", trace.toString()));
        final List<String> late = new ArrayList<>();
        for (final String line : Files.readAllLines(trace))
        {
            final String digits = line.replaceFirst(".*\"arrival_ns\":(\\d+).*", "$1");
            late.add(line.replaceFirst("\"arrival_ns\":\\d+",
                "\"arrival_ns\":" + (Long.parseLong(digits) + 1_764_000_000_000_000_000L)));
        }
        return Files.write(directory.resolve("late.jsonl"), late);
    }

    @Test
    void shouldPrintTheSameFiguresOfASimulation() throws IOException
    {
        final Path trace = lateTrace();
        journal = directory.resolve("journal").toString();
        final Map<String, String> report = JsonText.leaves(output(List.of("simulate", "--trace=" + trace, "--ranks=2",
            "--kv-blocks=300", "--draft-tokens=3", "--faults=rank 1 step 300 lost back-after 2s", "--json", "--no-verify",
            "--journal=" + journal)));
        assertTrue(number(report, "preemptions") > 0 && number(report, "requests.cancelled") > 0, report::toString);
        assertTrue(number(report, "inFlight.acceptedDrafts") > 100 && number(report, "faults.restarts") > 0);
        assertTrue(number(report, "throughput.completedRequestsPerSecond") > 0.1, report::toString);

        assertEquals(shared(report), shared(inspected()));
        assertTablesAddUp(report, 2);
        assertOthersAgree(report, 2);
    }

    /** Steps fail before their first result, requests lose both ranks, and a tenant has only refused requests. */
    @Test
    void shouldPrintTheSameFiguresOfARunWithoutRanks() throws IOException
    {
        final Path trace = lateTrace();
        journal = directory.resolve("journal").toString();
        final Map<String, String> report = JsonText.leaves(output(List.of("simulate", "--trace=" + trace, "--ranks=2",
            "--kv-blocks=200", "--draft-tokens=3", "--steps-in-flight=2", "--faults=" +
            "back-after=20ms, failed=0.05, lost=0.03; rank 0 step 900 lost back-after never; " +
            "rank 1 step 900 lost back-after never", "--json", "--no-verify", "--journal=" + journal)));
        assertTrue(number(report, "requests.refused") > 0 && number(report, "faults.failedSteps") > 10, report::toString);

        assertEquals(shared(report), shared(inspected()));
        assertTablesAddUp(report, 2);
        assertOthersAgree(report, 2);
    }

    /** A comparison of one router with one seed has the figures of the simulation with the same settings. */
    @Test
    void shouldCompareWithTheFiguresOfASimulation()
    {
        final List<String> settings = List.of("--ranks=2", "--kv-blocks=500", "--draft-tokens=3", "--seed=7", "--json",
            "--faults=rank 1 step 300 lost back-after 2s");
        final List<String> simulate = new ArrayList<>(settings);
        simulate.addAll(0, List.of("simulate", "--conversations=30", "--router=signalbox", "--no-journal", "--no-capture"));
        final List<String> compare = new ArrayList<>(settings);
        compare.addAll(0, List.of("compare", "--conversations=30", "--router=signalbox", "--seeds=1"));
        final Map<String, String> report = JsonText.leaves(output(simulate));
        final Map<String, String> cell = JsonText.leaves(output(compare));
        final Map<String, String> names = Map.of("ttftP50Ms", "latency.ttft.p50Ms", "ttftP90Ms", "latency.ttft.p90Ms",
            "ttftP99Ms", "latency.ttft.p99Ms", "tpotP50Ms", "latency.tpot.p50Ms", "tpotP90Ms", "latency.tpot.p90Ms",
            "outputTokensPerSecond", "throughput.outputTokensPerSecond", "requestsPerSecond",
            "throughput.completedRequestsPerSecond", "tokenHitRate", "prefixCache.tokenHitRate",
            "preemptions", "preemptions", "completed", "requests.completed");
        names.forEach((name, field) -> assertEquals(
            number(report, field), number(cell, "cells[0]." + name + ".values[0]"), 1e-9, name));
        assertEquals(number(report, "requests.refused"), number(cell, "cells[0].refused.values[0]"));
        final double busiest = Math.max(number(report, "tokensPerRank[0]"), number(report, "tokensPerRank[1]"));
        assertEquals(busiest * 2 / number(report, "tokens"), number(cell, "cells[0].rankLoadMaxOverMean.values[0]"), 1e-9);
    }

    @Test
    void shouldPrintTheSameFiguresOfAnEngine() throws IOException
    {
        final Path prompts = Files.writeString(directory.resolve("prompts.jsonl"), """
            {"id": "a", "prompt": [1, 5, 9, 13], "max_new_tokens": 12}
            {"id": "b", "prompt": [2, 40, 33], "max_new_tokens": 12}
            {"id": "c", "prompt": [60, 3, 3, 3, 8], "max_new_tokens": 12}
            """);
        final Path answers = directory.resolve("answers.jsonl");
        final List<String> options = List.of("run", "--json", "--prompts", prompts.toString());
        final List<String> first = new ArrayList<>(options);
        first.addAll(List.of("--no-journal", "--out", answers.toString()));
        output(first);
        final List<String> lines = Files.readAllLines(answers);
        final StringBuilder script = new StringBuilder();
        for (final String line : Files.readAllLines(prompts))
        {
            final String id = line.replaceFirst(".*\"id\": (\"[a-c]\").*", "$1");
            final String answer = lines.stream().filter(each -> each.contains("\"id\":" + id)).findFirst().orElseThrow();
            script.append("{\"prompt\": ").append(line.replaceFirst(".*\"prompt\": (\\[[^]]*]).*", "$1"))
                .append(", \"tokens\": ").append(answer.replaceFirst(".*\"tokens\":(\\[[^]]*]).*", "$1")).append("}\n");
        }
        final String stop = script.toString().split("\n")[0].replaceFirst(".*\"tokens\": ", "").split("[^0-9]+")[4];
        journal = directory.resolve("engine").toString();
        final List<String> second = new ArrayList<>(options);
        second.addAll(List.of("--journal", journal, "--draft-tokens=5", "--stop-token=" + stop, "--backend-options",
            "draftScript=" + Files.writeString(directory.resolve("script.jsonl"), script)));
        final Map<String, String> run = JsonText.leaves(output(second));
        final Map<String, String> report = new TreeMap<>();
        run.forEach((field, value) -> report.put(field.replaceFirst("^report\\.", ""), value));

        assertTrue(number(report, "inFlight.draftsAfterStop") > 0, report::toString);
        final Map<String, String> read = inspected();
        final Map<String, String> both = shared(read);
        both.keySet().removeIf(field -> field.matches("schema|settings\\..*"));
        both.forEach((field, value) -> assertEquals(value, report.get(field), field));
        assertTablesAddUp(report, 1);
        assertOthersAgree(report, 1);
    }
}
