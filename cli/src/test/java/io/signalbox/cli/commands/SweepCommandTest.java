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
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SweepCommandTest
{
    private static final List<String> SEARCH = List.of("--kv-blocks", "2049", "--grid",
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
        assertEquals(8, new ObjectMapper().readTree(whole.out()).get("cells").size());
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
                "--kv-blocks", "2049", "--router", settings.get("router").textValue(),
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
        Files.writeString(results, String.join("\n", lines.subList(0, 9)) + "\n" + lines.get(9).substring(0, 30));
        final CommandRun again = sweep(SEARCH, "--out", out("whole"));
        assertEquals(0, again.exitCode(), again.err());
        assertTrue(again.err().contains("8 cells, 16 runs, of which 9 ended before"), again.err());
        assertEquals(lines.subList(0, 9), Files.readAllLines(results).subList(0, 9));
        assertEquals(lines.stream().sorted().toList(), Files.readAllLines(results).stream().sorted().toList());
        assertEquals(sweep(SEARCH, "--out", out("fresh")).out(), again.out());
    }

    @Test
    void shouldReadAPlanFromAFile() throws IOException
    {
        final Path plan = Files.writeString(directory.resolve("plan.yaml"), """
            options: {kv-blocks: 2049, limit: 40, ranks: 2, slo: 'ttft=40ms,tpot=20ms'}
            grid:
              workload: [bursty, skewed]
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
        Files.writeString(directory.resolve("file/plan.json"),
            Files.readString(copy).replaceFirst(" *\"objective\": [^\n]*\n", ""));
        assertEquals(run.out(), CommandRun.of("sweep", "merge", out("file"), "--json").out());
    }

    @Test
    void shouldGiveAVariantTheKeyOfItsSettings() throws IOException
    {
        final CommandRun run = CommandRun.of("sweep", "--variant", "turns: --router round-robin --kv-blocks=2049",
            "--variant", "apart: --no-same-step-sharing", "--kv-blocks", "4097", "--workloads", "bursty,skewed",
            "--limit", "20", "--seeds", "2", "--baseline", "variant=apart", "--out", out("variants"), "--json");
        assertEquals(0, run.exitCode(), run.err());
        final JsonNode cells = new ObjectMapper().readTree(run.out()).get("cells");
        assertEquals(4, cells.size());
        final List<String> keys = new ArrayList<>();
        cells.forEach(cell ->
        {
            final boolean isOther = cell.at("/settings/variant").textValue().equals("turns");
            assertEquals(isOther, cell.get("difference").isObject(), cell.toString());
            if (isOther)
            {
                keys.add(cell.get("key").textValue());
            }
        });
        final CommandRun grid = CommandRun.of("sweep", "--router", "round-robin", "--kv-blocks", "2049", "--workloads",
            "bursty,skewed", "--limit", "20", "--seeds", "2", "--out", out("grid"), "--json");
        assertEquals(keys.stream().sorted().toList(),
            new ObjectMapper().readTree(grid.out()).get("cells").findValuesAsText("key").stream().sorted().toList());
        final Path copy = Files.copy(directory.resolve("variants/plan.json"), directory.resolve("variants.json"));
        assertEquals(run.out(), CommandRun.of("sweep", "--plan", copy.toString(), "--out", out("variants"), "--json").out());
        assertEquals(run.out(), CommandRun.of("sweep", "merge", out("variants"), "--json").out());
    }

    /** Of 8 cells the best 4 run again with twice the requests, and of these the best 2. */
    @Test
    void shouldHalve() throws IOException
    {
        final List<String> search = List.of("--grid", "kv-blocks=1025,2049,8193,16385", "--grid",
            "router=kv-aware,round-robin", "--limit", "20", "--ranks", "2", "--objective", "ttftP50Ms", "--halving", "2");
        final CommandRun whole = sweep(search, "--out", out("whole"), "--json");
        assertEquals(0, whole.exitCode(), whole.err());
        final JsonNode last = new ObjectMapper().readTree(whole.out());
        assertEquals("80", last.at("/plan/options/limit").textValue());
        assertEquals(2, last.get("cells").size());
        assertEquals(2, last.at("/plan/round").intValue());
        JsonNode round = last;
        for (int i = 1; i >= 0; i--)
        {
            final JsonNode before =
                new ObjectMapper().readTree(CommandRun.of("sweep", "merge", out("whole/round-" + i), "--json").out());
            final List<JsonNode> best = new ArrayList<>();
            before.get("cells").forEach(best::add);
            assertEquals(settings(best.subList(0, best.size() / 2)), settings(round.get("cells")));
            round = before;
        }
        assertEquals(8, round.get("cells").size());
        assertRefused(CommandRun.of("sweep", "merge", out("whole")), "such as the last one, " + out("whole/round-2"));
        // The same in shards, each of which runs a part of a round until the others are there.
        CommandRun ended = null;
        for (int i = 0; i < 6; i++)
        {
            ended = sweep(search, "--out", out("shards"), "--shard", i % 2 + "/2");
            assertEquals(0, ended.exitCode(), ended.err());
        }
        assertEquals(whole.out(), CommandRun.of("sweep", "merge", out("shards/round-2"), "--json").out(), ended.out());
        assertEquals(sweep(search, "--out", out("whole")).out(), ended.out());
    }

    /** All requests of the workload are in the first round: the others would repeat it. */
    @Test
    void shouldStopHalvingAfterARoundWithAllRequests()
    {
        final CommandRun run = CommandRun.of("sweep", "--grid", "kv-blocks=2049,4097,8193", "--conversations", "3",
            "--limit", "1000", "--halving", "2", "--out", out("halved"));
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.err().contains("round 0 had all requests of the workload"), run.err());
        assertTrue(run.out().startsWith("3 cells, "), run.out());
        assertFalse(Files.exists(directory.resolve("halved/round-1")));
    }

    /** The least pool for the requests of a simulation. */
    private static int blocks(final String limit, final int seed)
    {
        final CommandRun run = CommandRun.of(
            "simulate", "--kv-blocks", "3", "--limit", limit, "--seed", Integer.toString(seed), "--no-journal");
        final Matcher least = Pattern.compile("give at least (\\d+) blocks").matcher(run.err());
        assertTrue(least.find(), run.err());
        return Integer.parseInt(least.group(1));
    }

    @Test
    void shouldCheckEverySeedAndTheRequestsOfTheLastRoundBeforeTheFirstRun()
    {
        final List<Integer> least = IntStream.rangeClosed(2, 5).map(seed -> blocks("20", seed)).boxed().toList();
        final int most = Collections.max(least);
        assertTrue(least.get(0) < most, least.toString());
        assertRefused(CommandRun.of("sweep", "--grid", "kv-blocks=" + most + "," + (most - 1), "--limit", "20", "--seed",
            "2", "--seeds", "4", "--workers", "1", "--out", out("refused")),
            "cell 1 (kv-blocks=" + (most - 1) + ") with seed " + (least.indexOf(most) + 2) + ": ");
        final int ofFirstRound = blocks("20", 1);
        final int ofLastRound = blocks("80", 1);
        assertTrue(ofFirstRound < ofLastRound, ofFirstRound + " and " + ofLastRound);
        assertRefused(CommandRun.of("sweep", "--grid", "kv-blocks=" + ofFirstRound + "," + ofLastRound + "," +
            IntStream.range(8193, 8199).mapToObj(Integer::toString).collect(Collectors.joining(",")), "--limit", "20",
            "--halving", "2", "--out", out("refused")), "cell 0 (kv-blocks=" + ofFirstRound + "): ");
        assertFalse(Files.exists(directory.resolve("refused")));
    }

    @Test
    void shouldRefuseADirectoryBeforeItChecksTheCells()
    {
        final CommandRun run =
            CommandRun.of("sweep", "--grid", "ranks=1,2", "--limit", "5", "--progress", "--out", out("other"));
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.err().contains("checks 2 runs"), run.err());
        assertRefused(CommandRun.of("sweep", "--grid", "kv-blocks=3", "--limit", "5", "--out", out("other")),
            "holds another sweep");
    }

    /** The first seed is the run of {@code simulate}; another one has other arrivals. */
    @Test
    void shouldSpreadTheArrivalsOfATrace() throws IOException
    {
        final String trace = Files.writeString(directory.resolve("a.jsonl"), IntStream.range(0, 12).mapToObj(i ->
            "{\"timestamp\": " + i + ", \"input_length\": 600, \"output_length\": 30, \"hash_ids\": [" + 2 * i + ", " +
                (2 * i + 1) + "]}\n").collect(Collectors.joining())).toString();
        final List<String> options =
            List.of("--trace", trace, "--ranks", "1", "--block-size", "512", "--d2h-jitter-nanos", "0");
        final CommandRun run = sweep(options, "--seeds", "3", "--out", out("trace"), "--json");
        assertEquals(0, run.exitCode(), run.err());
        final JsonNode values = new ObjectMapper().readTree(run.out()).at("/cells/0/figures/ttftP50Ms/values");
        final List<String> simulate = new ArrayList<>(List.of("simulate", "--no-journal", "--json"));
        simulate.addAll(options);
        assertEquals(new ObjectMapper().readTree(CommandRun.of(simulate).out()).at("/latency/ttft/p50Ms").doubleValue(),
            values.get(0).doubleValue());
        assertEquals(3, List.of(values.get(0), values.get(1), values.get(2)).stream().distinct().count(), values.toString());
    }

    @Test
    void shouldRankByGoodputIfEveryVariantHasAServiceLevel() throws IOException
    {
        for (final String other : List.of("--slo ttft=2s,tpot=30ms", "--ranks 2"))
        {
            final CommandRun run = CommandRun.of("sweep", "--variant", "a: --slo ttft=1s,tpot=30ms", "--variant",
                "b: " + other, "--limit", "5", "--out", out(other.substring(2, 5)), "--json");
            assertEquals(0, run.exitCode(), run.err());
            assertEquals(other.startsWith("--slo") ? "goodputRequestsPerSecond" : "ttftP90Ms",
                new ObjectMapper().readTree(run.out()).at("/plan/objective").textValue());
        }
    }

    @Test
    void shouldCompareWithAValueThatHasCommas() throws IOException
    {
        final CommandRun run = CommandRun.of("sweep", "--grid", "slo=ttft=1s,tpot=30ms;ttft=2s,tpot=30ms", "--grid",
            "ranks=1,2", "--baseline", "ranks=2;slo=ttft=1s,tpot=30ms", "--limit", "5", "--out", out("levels"), "--json");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(new ObjectMapper().readTree("{\"ranks\":\"2\",\"slo\":\"ttft=1s,tpot=30ms\"}"),
            new ObjectMapper().readTree(run.out()).at("/plan/baseline"));
        assertEquals(run.out(), CommandRun.of("sweep", "--grid", "slo=ttft=1s,tpot=30ms;ttft=2s,tpot=30ms", "--grid",
            "ranks=1,2", "--baseline", "ranks=2", "--baseline", "slo=ttft=1s,tpot=30ms;", "--limit", "5", "--out",
            out("levels"), "--json").out());
    }

    private static List<String> settings(final Iterable<JsonNode> cells)
    {
        final List<String> settings = new ArrayList<>();
        cells.forEach(cell -> settings.add(cell.get("settings").toString()));
        return settings.stream().sorted().toList();
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
    void shouldNameTheFaultOfALargePlan() throws IOException
    {
        final String values = IntStream.range(4097, 16_000).mapToObj(Integer::toString).collect(Collectors.joining(","));
        final String large = "{\"draw\": 2, \"options\": {\"limit\": 5},\n\"grid\": {\"kv-blocks\": [" + values + "]}}";
        final Path plan = Files.writeString(directory.resolve("plan.json"), "\uFEFF\n\n" + large);
        final List<String> command = List.of("--plan", plan.toString(), "--out", out("large"));
        assertEquals(0, sweep(command).exitCode(), sweep(command).err());
        Files.writeString(plan, "\n" + large.replace("]}", "],}"));
        assertRefused(sweep(command), "is not JSON in line 3 (");
        Files.writeString(plan, large.replace("\"draw\": 2", "\"draw\": 2, \"draw\": 3"));
        assertRefused(sweep(command), "is not JSON in line 1 (Duplicate field 'draw')");
        Files.writeString(plan, large.replace(" 2,", " [[[[[[[[2]]]]]]]],"));
        assertRefused(sweep(command), "is not JSON (it has more levels)");
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
            {"--baseline= is not NAME=VALUE", "--grid", "kv-blocks=4097", "--baseline", ";"},
            {"the baseline names router", "--grid", "kv-blocks=4097", "--baseline", "router=kv-aware"},
            {"--json has all cells, and --shard=0/2", "--grid", "kv-blocks=4097", "--shard", "0/2", "--json"},
            {"--halving=1 keeps every cell", "--grid", "kv-blocks=4097,8193", "--halving", "1"},
            {"--halving=2 needs one --limit", "--grid", "limit=3,5", "--halving", "2"},
            {"the variant a sets router, which the grid varies", "--grid", "router=kv-aware", "--variant",
                "a: --router round-robin"},
            {"'list-models' is not an option", "--grid", "list-models=on,off"},
            {"has no name before a colon", "--variant", "--router round-robin"},
            {"--variant a: 'grid' is not an option that can be set here", "--variant", "a: --grid kv-blocks=9"},
            {"--variant a: ", "--variant", "a: --no-such"},
            {"a is given twice", "--variant", "a: --ranks 2", "--variant", "a: --ranks 4"},
            {"the baseline has variant=b", "--variant", "a: --ranks 2", "--baseline", "variant=b"},
            {"--top=-1", "--grid", "kv-blocks=4097", "--top", "-1"},
            {"one kind, in a sweep of its own", "--workloads", "bursty,/nowhere.jsonl"}})
            .forEach(each ->
            {
                final List<String> options = new ArrayList<>(List.of(each).subList(1, each.length));
                if (!each[0].startsWith("--out"))
                {
                    options.addAll(List.of("--out", out("refused")));
                }
                if (!options.contains("limit=3,5"))
                {
                    options.addAll(List.of("--limit", "5"));
                }
                assertRefused(sweep(options), each[0]);
                assertFalse(Files.exists(directory.resolve("refused")), each[0]);
            });
        assertRefused(CommandRun.of("sweep", "--limit", "3", "merge", out("x")), "--limit is an option of sweep");
        assertRefused(CommandRun.of("sweep", "merge", out("nothing")), "has no plan.json");
    }
}
