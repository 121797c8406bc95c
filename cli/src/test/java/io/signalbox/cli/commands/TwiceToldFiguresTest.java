// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.printing.ExitCode;
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

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Figures that two commands print are equal: the report of a run, the report that {@code inspect} makes of its journal, the
 * sums of its tables, {@code whatif} and {@code trace}. The simulated run has drafts, preemptions, cancellations, a lost
 * rank and tenants, and begins at a Unix time; the engine's run has drafts and stops within them.
 */
class TwiceToldFiguresTest
{
    /** The journal does not know what clients left out, nor the plan of faults, nor the duration on this machine. */
    private static final String OF_THE_RUN_ONLY =
        "requests\\.(neverAsked|leftOut)|faults\\..*|wallClock(\\..*)?|journal\\.verified";
    private static final String LAST_COLUMN = "end";
    private static final double MILLIS = 1e-6;

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
        assertEquals(number(report, "latency.ttft.mean") * number(report, "latency.ttft.count"),
            sum(requests, "ttft", null), 1e-3);
        assertEquals(number(report, "latency.e2e.mean") * number(report, "latency.e2e.count"),
            sum(requests, "total", "length") + sum(requests, "total", "stop"), 1e-3);
        assertEquals(number(report, "prefixCache.matchedBlocks"), sum(requests, "matchedBlocks", null));
        // Each gap between two tokens; a request that emitted has one less than tokens.
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
            for (final String column : List.of("steps", "emitted", "computed", "evictions", "preemptions", "pauses"))
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
        assertEquals(number(report, "inFlight.computeNanos") * MILLIS, sums.get("computed"), 1e-3);
    }

    private void assertOthersAgree(final Map<String, String> report)
    {
        final Map<String, String> recorded = JsonText.leaves(output(List.of("whatif", journal, "--json", "--seeds=1")));
        final Map<String, String> names = Map.of("requestsPerSecond", "throughput.completedRequestsPerSecond",
            "outputTokensPerSecond", "throughput.outputTokensPerSecond", "tokenHitRate", "prefixCache.tokenHitRate",
            "computedTokens", "tokens", "steps", "steps", "preemptions", "preemptions", "evictedBlocks", "evictions",
            "ttftP50Ms", "latency.ttft.p50", "e2eP99Ms", "latency.e2e.p99", "completed", "requests.completed");
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
        assertOthersAgree(report);
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
        first.addAll(List.of("--no-journal", "--output", answers.toString()));
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
        assertOthersAgree(report);
    }
}
