// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Scripts of users depend on these options, fields, columns and rows. A rename keeps the former name as well. */
class StableNamesTest
{
    @TempDir
    private Path directory;
    private String journal;
    private String trace;

    @BeforeEach
    void namePlaces()
    {
        journal = directory.resolve("journal").toString();
        trace = directory.resolve("trace.jsonl.gz").toString();
    }

    private static String out(final String... arguments)
    {
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(0, run.exitCode(), String.join(" ", arguments) + ": " + run.err());
        return run.out();
    }

    private static Map<String, String> json(final String... arguments)
    {
        return JsonText.leaves(out(arguments));
    }

    private static void assertNumbers(final Map<String, String> document, final String... fields)
    {
        for (final String field : fields)
        {
            assertTrue(document.getOrDefault(field, "absent").matches("[0-9][0-9.eE-]*"),
                field + " is " + document.get(field));
        }
    }

    private static String row(final String text, final String begin)
    {
        return text.lines().filter(line -> line.startsWith(begin)).findFirst().orElse("no row " + begin);
    }

    @Test
    void shouldKeepTheFieldsOfASimulation()
    {
        final Map<String, String> run = json("simulate", "--conversations", "3", "--workload", "conversations",
            "--ranks", "1", "--block-size", "64", "--kv-blocks", "4097", "--router", "signalbox",
            "--journal", journal, "--no-verify", "--depth", "2", "--json");
        assertNumbers(run, "requests.completed", "tokens", "routedExperts.missing", "prefixCache.tokenHitRate",
            "throughput.completedRequestsPerSecond");
        assertTrue(run.get("journal.digest").matches("[0-9a-f]{16}"), run.get("journal.digest"));

        out("trace", journal, "--out", trace);
        final Map<String, String> again = json("simulate", "--trace", trace, "--ranks", "1", "--block-size", "64",
            "--no-journal", "--no-capture", "--long-prefill-tokens", "4096", "--json");
        assertEquals(run.get("tokens"), again.get("tokens"));
        assertTrue(out("replay", journal, "--verify").contains("verified"));
    }

    @Test
    void shouldKeepTheRowsAndColumnsOfReports()
    {
        final String text = out("simulate", "--workload", "closed-loop", "--clients", "2", "--limit", "20", "--ranks", "1",
            "--journal", journal);
        assertEquals("p50", row(text, "latency").split(" +")[3], "the third number of a row of latencies is its median");
        assertEquals(6, row(text, "TTFT").split(" +").length, row(text, "TTFT"));

        final Map<String, String> changed = json("whatif", journal, "--from", "0", "--depth", "2", "--json");
        assertNumbers(changed, "variants[0].decisions.total", "variants[0].decisions.different");

        final String csv = out("compare", "--routers", "kv-aware,round-robin", "--conversations", "3", "--seeds", "1",
            "--ranks", "1", "--csv");
        assertTrue(List.of(csv.lines().findFirst().orElse("").split(",")).contains("requestsPerSecond"), csv);
        assertTrue(row(CommandRun.of("doctor").out(), "memory").startsWith("memory "), "doctor has a row of memory");
    }

    @Test
    void shouldKeepTheFieldsOfASweep() throws IOException
    {
        final String shards = directory.resolve("shards").toString();
        out("sweep", "--grid", "kv-blocks=4097,8193", "--baseline", "kv-blocks=4097", "--limit", "5", "--seeds", "2",
            "--objective", "tpotP50Ms", "--shard", "0/2", "--out", shards);
        final Path plan = Files.copy(Path.of(shards, "plan.json"), directory.resolve("plan.json"));
        out("sweep", "--plan", plan.toString(), "--shard", "1/2", "--out", shards);
        final Map<String, String> sweep = json("sweep", "merge", shards, "--pareto", "ttftP90Ms", "--json");
        assertNumbers(sweep, "cells[0].rank", "cells[0].cell", "cells[0].settings.kv-blocks",
            "cells[0].figures.ttftP90Ms.mean", "cells[0].figures.ttftP90Ms.values[1]", "plan.seeds");
        assertTrue(sweep.get("cells[0].key").matches("[0-9a-f]{16}"), sweep.get("cells[0].key"));
    }

    @Test
    void shouldKeepTheAnswersOfARun() throws IOException
    {
        final Path prompts = directory.resolve("prompts.jsonl");
        final Path script = directory.resolve("script.jsonl");
        final Path answers = directory.resolve("answers.jsonl");
        Files.writeString(prompts, "{\"id\": \"a\", \"prompt\": [5, 7, 9, 11]}\n");
        out("run", "--prompts", prompts.toString(), "--no-journal", "--output", answers.toString(), "--stop-token", "-1");
        final String answer = Files.readString(answers);
        assertTrue(JsonText.leaves(answer).keySet().containsAll(List.of("id", "tokens[0]", "finish_reason")), answer);

        final String tokens = answer.replaceFirst("(?s).*\"tokens\":(\\[[^]]*]).*", "$1");
        Files.writeString(script, "{\"prompt\": [5, 7, 9, 11], \"tokens\": " + tokens + "}\n");
        final String text = out("run", "--prompts", prompts.toString(), "--draft-tokens", "2", "--backend-options",
            "draftScript=" + script, "--stop-token", "-1", "--journal", journal);
        assertTrue(row(text, "draft tokens").matches("draft tokens .* [0-9,]+ of them accepted.*"),
            row(text, "draft tokens"));
        final long accepted = Long.parseLong(
            row(text, "draft tokens").replaceFirst(".* ([0-9,]+) of them accepted.*", "$1").replace(",", ""));
        assertEquals(accepted, accepted(out("inspect", journal, "--accepted-drafts")));
    }

    /** The sum of the counts of all lines such as {@code {"accepted": [2, 0]}}. */
    private static long accepted(final String lines)
    {
        return lines.lines().flatMap(line -> JsonText.leaves(line).entrySet().stream())
            .filter(leaf -> leaf.getKey().startsWith("accepted[")).mapToLong(leaf -> Long.parseLong(leaf.getValue())).sum();
    }
}
