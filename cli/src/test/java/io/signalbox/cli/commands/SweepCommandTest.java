// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.signalbox.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SweepCommandTest
{
    private static final List<String> SEARCH = List.of("--grid", "kv-blocks=2049,8193", "--grid",
        "router=kv-aware,round-robin", "--workloads", "bursty,skewed", "--grid", "same-step-sharing=on,off", "--limit", "40",
        "--ranks", "2", "--slo", "ttft=40ms,tpot=20ms", "--baseline", "router=round-robin", "--seeds", "2");

    @TempDir
    private Path directory;

    private static CommandRun sweep(final List<String> options, final String... others)
    {
        final List<String> arguments = new ArrayList<>(List.of("sweep"));
        arguments.addAll(options);
        arguments.addAll(List.of(others));
        return CommandRun.of(arguments);
    }

    private String out(final String name)
    {
        return directory.resolve(name).toString();
    }

    private static void assertRefused(final CommandRun run, final String part)
    {
        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.err().contains(part), run.err());
        assertEquals("", run.out());
    }

    @Test
    void shouldGiveTheSameBytesInShardsAndWithAnyNumberOfWorkers() throws IOException
    {
        final CommandRun whole = sweep(SEARCH, "--out", out("whole"), "--workers", "1", "--json");
        assertEquals(0, whole.exitCode(), whole.err());
        assertEquals(16, new ObjectMapper().readTree(whole.out()).get("cells").size());
        final List<String> shards = new ArrayList<>(List.of("sweep", "merge"));
        for (int shard = 0; shard < 3; shard++)
        {
            shards.add(out("shard-" + shard));
            assertEquals(0, sweep(SEARCH, "--out", out("shard-" + shard), "--shard", shard + "/3").exitCode());
        }
        shards.addAll(List.of("--json-file", out("all.json")));
        final CommandRun merged = CommandRun.of(shards);
        assertEquals(0, merged.exitCode(), merged.err());
        assertEquals(whole.out(), Files.readString(directory.resolve("all.json")));
        assertEquals(whole.out(), sweep(SEARCH, "--out", out("whole"), "--json", "--workers", "3").out(), "continued");
        assertRefused(CommandRun.of(shards.subList(0, 4)), " is missing, and ");
        assertRefused(CommandRun.of("sweep", "merge", out("shard-0"), out("shard-0")), "give each shard once");
    }

    @Test
    void shouldRunWhatSimulateRuns() throws IOException
    {
        final CommandRun run = sweep(SEARCH, "--out", out("whole"), "--json");
        assertEquals(0, run.exitCode(), run.err());
        for (final JsonNode cell : new ObjectMapper().readTree(run.out()).get("cells"))
        {
            final JsonNode settings = cell.get("settings");
            final boolean isShared = settings.get("same-step-sharing").textValue().equals("on");
            final CommandRun alone = CommandRun.of("simulate", "--workload", settings.get("workload").textValue(),
                "--kv-blocks", settings.get("kv-blocks").textValue(), "--router", settings.get("router").textValue(),
                isShared ? "--same-step-sharing" : "--no-same-step-sharing", "--limit", "40", "--ranks", "2", "--slo",
                "ttft=40ms,tpot=20ms", "--seed", "2", "--no-journal", "--json");
            final JsonNode report = new ObjectMapper().readTree(alone.out());
            assertEquals(report.at("/latency/ttft/p90Ms").doubleValue(),
                cell.at("/figures/ttftP90Ms/values/1").doubleValue(), settings.toString());
            assertEquals(report.at("/goodput/share").doubleValue(),
                cell.at("/figures/goodputShare/values/1").doubleValue(), settings.toString());
        }
    }

    @Test
    void shouldRunOnlyWhatAKillLeft() throws IOException
    {
        assertEquals(0, sweep(SEARCH, "--out", out("whole")).exitCode());
        final Path results = directory.resolve("whole/results-0-of-1.jsonl");
        final List<String> lines = Files.readAllLines(results);
        Files.writeString(results, String.join("\n", lines.subList(0, 20)) + "\n" + lines.get(20).substring(0, 30));
        final CommandRun again = sweep(SEARCH, "--out", out("whole"));
        assertEquals(0, again.exitCode(), again.err());
        assertTrue(again.err().contains("16 cells, 32 runs, of which 20 ended before"), again.err());
        assertEquals(lines.subList(0, 20), Files.readAllLines(results).subList(0, 20));
        assertEquals(lines.stream().sorted().toList(), Files.readAllLines(results).stream().sorted().toList());
        assertEquals(sweep(SEARCH, "--out", out("fresh")).out(), again.out());
    }

    @Test
    void shouldReadAPlanFromAFile() throws IOException
    {
        final Path plan = Files.writeString(directory.resolve("plan.yaml"), """
            options: {limit: 40, ranks: 2, slo: 'ttft=40ms,tpot=20ms'}
            grid:
              workload: [bursty, skewed]
              kv-blocks: [2049, 8193]
              router: [kv-aware, round-robin]
              same-step-sharing: [true, off]
            baseline: {router: round-robin}
            seeds: 2
            """);
        final CommandRun run = CommandRun.of("sweep", "--plan", plan.toString(), "--out", out("file"), "--json");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(sweep(SEARCH, "--out", out("options"), "--json").out(), run.out());
        // What a sweep stores is a plan itself.
        final Path copy = Files.copy(directory.resolve("file/plan.json"), directory.resolve("copy.json"));
        final CommandRun stored = CommandRun.of("sweep", "--plan", copy.toString(), "--out", out("file"), "--json");
        assertEquals(run.out(), stored.out(), stored.err());
    }

    /** The values of this plan have more bytes than a YAML file may have. */
    @Test
    void shouldMergeALargePlan()
    {
        final String values = IntStream.range(4097, 12_000).mapToObj(Integer::toString).collect(Collectors.joining(","));
        final CommandRun run = CommandRun.of("sweep", "--grid", "kv-blocks=" + values, "--draw", "2", "--limit", "5",
            "--out", out("large"), "--json");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(run.out(), CommandRun.of("sweep", "merge", out("large"), "--json").out());
    }

    @Test
    void shouldStoreTracesByContent() throws IOException
    {
        final Path trace = Files.writeString(directory.resolve("a.jsonl"),
            "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 3, \"hash_ids\": [1, 2]}\n".repeat(4));
        final Path moved = Files.createDirectory(directory.resolve("moved")).resolve("a.jsonl");
        Files.copy(trace, moved);
        final List<String> search = List.of("--grid", "ranks=1,2", "--limit", "3", "--block-size", "512");
        final CommandRun run = sweep(search, "--workloads", trace.toString(), "--out", out("one"), "--json");
        assertEquals(0, run.exitCode(), run.err());
        assertFalse(run.out().contains(directory.toString()), run.out());
        assertEquals(run.out(), sweep(search, "--workloads", moved.toString(), "--out", out("two"), "--json").out());
        Files.writeString(moved, "\n", StandardOpenOption.APPEND);
        assertRefused(sweep(search, "--workloads", moved.toString(), "--out", out("two")), "holds another sweep");
    }

    @Test
    void shouldDrawCells() throws IOException
    {
        final List<String> search = List.of("--grid", "kv-blocks=2049,4097,8193", "--grid", "router=kv-aware,round-robin",
            "--grid", "max-running=1,2,4", "--limit", "20", "--draw", "4");
        final JsonNode cells =
            new ObjectMapper().readTree(sweep(search, "--out", out("drawn"), "--json").out()).get("cells");
        assertEquals(4, cells.size());
        final JsonNode others = new ObjectMapper()
            .readTree(sweep(search, "--out", out("others"), "--draw-seed", "2", "--json").out()).get("cells");
        assertFalse(cells.findValuesAsText("key").equals(others.findValuesAsText("key")));
    }

    @Test
    void shouldRefuseEachMistakeBeforeTheFirstRun()
    {
        Stream.of(new String[][]{
            {"--out is missing", "--grid", "kv-blocks=9"},
            {"'kv-blcks' is not an option that can be set here (nearest: kv-blocks)", "--grid", "kv-blcks=9"},
            {"'journal' is not an option", "--grid", "journal=a,b"},
            {"'seed' is not an option", "--grid", "seed=1,2"},
            {"is not NAME=VALUE,VALUE", "--grid", "kv-blocks"},
            {"has an empty value", "--grid", "kv-blocks=9,"},
            {"the grid has kv-blocks=9 twice", "--grid", "kv-blocks=9,9"},
            {"kv-blocks is given twice", "--grid", "kv-blocks=9", "--grid", "kv-blocks=17"},
            {"which is also one value for every cell", "--grid", "kv-blocks=9", "--kv-blocks", "17"},
            {"cell 1 (kv-blocks=x): ", "--grid", "kv-blocks=4097,x"},
            {"cell 1 (kv-blocks=0): ", "--grid", "kv-blocks=4097,0"},
            {"cell 0 (router=no-such): ", "--grid", "router=no-such"},
            {"same-step-sharing is on or off", "--grid", "same-step-sharing=maybe"},
            {"--trace=/nowhere.jsonl is not there", "--workloads", "/nowhere.jsonl"},
            {"cell 0 (kv-blocks=3): ", "--grid", "kv-blocks=3"},
            {"--objective=speed is no figure", "--grid", "kv-blocks=4097", "--objective", "speed"},
            {"--pareto=speed is no figure", "--grid", "kv-blocks=4097", "--pareto", "speed"},
            {"--shard=2/2 is not INDEX/COUNT", "--grid", "kv-blocks=4097", "--shard", "2/2"},
            {"the baseline names router", "--grid", "kv-blocks=4097", "--baseline", "router=kv-aware"},
            {"--top=-1", "--grid", "kv-blocks=4097", "--top", "-1"},
            {"one kind, in a sweep of its own", "--workloads", "bursty,/nowhere.jsonl"}})
            .forEach(each ->
            {
                final List<String> options = new ArrayList<>(List.of(each).subList(1, each.length));
                if (!each[0].startsWith("--out"))
                {
                    options.addAll(List.of("--out", out("refused")));
                }
                options.addAll(List.of("--limit", "5"));
                assertRefused(sweep(options), each[0]);
                assertFalse(Files.exists(directory.resolve("refused")), each[0]);
            });
        assertRefused(CommandRun.of("sweep", "--limit", "3", "merge", out("x")), "--limit is an option of sweep");
        assertRefused(CommandRun.of("sweep", "merge", out("nothing")), "has no plan.json");
    }
}
