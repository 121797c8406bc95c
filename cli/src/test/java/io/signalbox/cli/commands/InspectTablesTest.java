// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.BadInputTest;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tables of a run with preemptions, cancellations, evictions and a lost rank agree with its report and with one another. */
class InspectTablesTest
{
    private static final int REQUESTS = 40;
    private static final int POOL_BLOCKS = 129;

    @TempDir
    private static Path directory;
    private static Path journal;
    private static String text;
    private static Map<String, String> report;

    @BeforeAll
    static void simulate()
    {
        journal = directory.resolve("journal");
        final List<String> options = List.of("--conversations=20", "--limit=" + REQUESTS, "--ranks=2",
            "--kv-blocks=" + (POOL_BLOCKS + 1), "--system-prompt=64", "--max-context=1024", "--cancel-fraction=0.2",
            "--cancel-after=0.2", "--faults=rank 1 step 90 lost back-after 1s");
        report = JsonText.leaves(simulate(options, "--json"));
        text = simulate(options).replaceFirst("(?s)faults injected.*?(\\nlatency, ms)", "$1")
            .replaceFirst("not submitted.*\n", "");
    }

    private static String simulate(final List<String> options, final String... more)
    {
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--no-verify", "--journal",
            more.length == 0 ? directory.resolve("again").toString() : journal.toString()));
        arguments.addAll(options);
        arguments.addAll(List.of(more));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run.out();
    }

    private static String inspect(final String... options)
    {
        final CommandRun run =
            CommandRun.of(Stream.concat(Stream.of("inspect", journal.toString()), Stream.of(options)).toList());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run.out();
    }

    /** The rows of a CSV by the names of its columns. */
    private static List<Map<String, String>> table(final String... options)
    {
        final String[] more = Arrays.copyOf(options, options.length + 1);
        more[options.length] = "--csv";
        final List<String> lines = inspect(more).lines().toList();
        final String[] names = lines.get(0).split(",");
        return lines.stream().skip(1).map(line ->
        {
            final String[] values = line.split(",", -1);
            final Map<String, String> row = new TreeMap<>();
            for (int i = 0; i < names.length; i++)
            {
                row.put(names[i], values[i]);
            }
            return row;
        }).toList();
    }

    private static long sum(final List<Map<String, String>> rows, final String column)
    {
        return rows.stream().mapToLong(row -> row.get(column).isEmpty() ? 0 : Long.parseLong(row.get(column))).sum();
    }

    @Test
    void shouldPrintTheReportOfTheRun()
    {
        final String run = inspect();
        final String known = text.substring(0, text.indexOf("\njournal "));

        assertTrue(run.startsWith(known), run);
        assertTrue(run.contains("\njournal's end     closed\n"), run);
        assertTrue(run.contains("\nscheduler.kvBlocks                      130\n"), run);
        final Map<String, String> json = JsonText.leaves(inspect("--json"));
        report.forEach((field, value) ->
        {
            if (!field.matches("wallClock\\..*|faults.*|journal\\.(verified|path)|requests\\.(neverAsked|leftOut)"))
            {
                assertEquals(value, json.get(field), field);
            }
        });
    }

    @Test
    void shouldListEveryRequestAsTheReportCountsIt()
    {
        final List<Map<String, String>> rows = table("--requests");

        assertEquals(report.get("requests.submitted"), Integer.toString(rows.size()));
        assertEquals(report.get("throughput.outputTokens"), Long.toString(sum(rows, "tokens")));
        assertEquals(report.get("preemptions"), Long.toString(sum(rows, "preemptions")));
        assertTrue(sum(rows, "preemptions") > 0, "nothing was preempted");
        assertTrue(sum(rows, "restarts") > 0, "no rank was lost");
        assertEquals(report.get("requests.cancelled"), Integer.toString(table("--requests", "--end=cancelled").size()));
        assertEquals(rows.stream().filter(row -> !row.get("preemptions").equals("0")).toList(),
            table("--requests", "--preempted"));
        assertEquals(rows.stream().filter(row -> row.get("rank").equals("1")).toList(), table("--requests", "--rank=1"));
        final String conversation = rows.get(7).get("conversation");
        assertEquals(rows.stream().filter(row -> row.get("conversation").equals(conversation)).toList(),
            table("--requests", "--of-conversation=" + conversation));
        assertEquals(rows.stream().filter(row -> Double.parseDouble(row.get("submittedSeconds")) >= 1 &&
            Double.parseDouble(row.get("submittedSeconds")) < 2.5).toList(), table("--requests", "--from=1", "--to=2.5"));
    }

    @Test
    void shouldListTheSlowestFirst()
    {
        final List<String> all = table("--requests").stream().map(row -> row.get("totalMs"))
            .sorted((a, b) -> Double.compare(Double.parseDouble(b), Double.parseDouble(a))).toList();

        assertEquals(all.subList(0, 4), table("--requests", "--slowest=4").stream().map(row -> row.get("totalMs")).toList());
    }

    @Test
    void shouldListEveryStepOfARequest()
    {
        for (final Map<String, String> request : table("--requests"))
        {
            final List<Map<String, String>> steps = table("--request=" + request.get("request"), "--steps");

            assertEquals(request.get("tokens"), Long.toString(sum(steps, "emitted")));
            final Map<String, String> life =
                JsonText.leaves(inspect("--request=" + request.get("request"), "--json"));
            assertEquals(request.get("tokens"), life.get("lives[0].emittedTokens"));
        }
    }

    @Test
    void shouldListTheOwnersOfEachBlock()
    {
        final Map<String, Integer> held = new HashMap<>();
        int shared = 0;
        for (final Map<String, String> event : table("--block=0:40"))
        {
            final String owner = event.get("request");
            if (event.get("event").matches("allocated|matched.*"))
            {
                assertEquals(null, held.put(owner, 1), "request " + owner + " has the block twice");
                shared = Math.max(shared, held.size());
            }
            else if (event.get("event").equals("released"))
            {
                assertEquals(1, held.remove(owner), "request " + owner + " has not had the block");
            }
            else if (event.get("event").equals("evicted"))
            {
                assertEquals(Map.of(), held, "a block in use is never evicted");
            }
        }
        assertEquals(Map.of(), held, "all requests have ended");
        assertTrue(shared >= 1);
    }

    @Test
    void shouldListTheBlocksOfARequest()
    {
        final List<Map<String, String>> events = table("--request=5", "--blocks");
        final long taken = events.stream().filter(row -> row.get("event").matches("allocated|matched.*")).count();

        assertTrue(taken > 0);
        assertEquals(taken, events.stream().filter(row -> row.get("event").equals("released")).count());
    }

    @Test
    void shouldDivideTheFiguresOfRanksIntoIntervals()
    {
        long steps = 0;
        for (int rank = 0; rank < 2; rank++)
        {
            final List<Map<String, String>> rows = table("--rank=" + rank, "--every=0.5");
            steps += sum(rows, "steps");
            assertEquals(report.get("tokensPerRank[" + rank + "]"), Long.toString(sum(rows, "tokens")));
            final long most = rows.stream().mapToLong(row -> Long.parseLong(row.get("mostBlocksInUse"))).max().orElse(0);
            assertEquals(Double.parseDouble(report.get("blockOccupancy[" + rank + "].peak")), (double)most / POOL_BLOCKS,
                1e-9);
            assertEquals(sum(rows, "tokens"), sum(table("--rank=" + rank, "--every=100"), "tokens"));
        }
        assertEquals(report.get("steps"), Long.toString(steps));
    }

    @Test
    void shouldCountTheTokensOfExperts()
    {
        final List<Map<String, String>> experts = table("--experts");

        assertEquals(4 * 64, experts.size());
        final double most = experts.stream().mapToDouble(row -> Double.parseDouble(row.get("timesTheMean"))).max().orElse(0);
        assertEquals(Double.parseDouble(report.get("routedExperts.loadSkewPerLayer[0].maxOverMean")),
            experts.stream().filter(row -> row.get("layer").equals("0"))
                .mapToDouble(row -> Double.parseDouble(row.get("timesTheMean"))).max().orElse(0), 1e-6);
        assertEquals(most, Double.parseDouble(experts.get(0).get("timesTheMean")), most * 0.5);
        final long tokens = experts.stream().filter(row -> row.get("expert").equals("7"))
            .mapToLong(row -> Long.parseLong(row.get("tokens"))).sum();
        assertEquals(tokens, sum(table("--expert=7", "--every=0.25"), "tokens"));
    }

    @Test
    void shouldCountTokensWhoseRowsOfExpertsAreMissing()
    {
        final String faulty = directory.resolve("faulty").toString();
        final CommandRun made = CommandRun.of("simulate", "--conversations=4", "--ranks=2", "--faults",
            "rank * step 9..12 corrupt expert-range", "--no-verify", "--json", "--journal", faulty);
        final String missing = JsonText.leaves(made.out()).get("routedExperts.missing");
        final String words = missing + " tokens whose rows of routed experts are missing";

        assertTrue(Integer.parseInt(missing) > 1, made.err());
        assertEquals(missing,
            JsonText.leaves(CommandRun.of("inspect", faulty, "--experts", "--json").out()).get("missingRows"));
        assertTrue(CommandRun.of("inspect", faulty, "--experts").out().contains("\nleft out          " + words + "\n"));
        assertEquals("signalbox inspect: left out: " + words + ".\n",
            CommandRun.of("inspect", faulty, "--expert=7", "--csv").err());
        final Path table = directory.resolve("faulty.parquet");
        assertTrue(CommandRun.of("inspect", faulty, "--experts", "--parquet", table.toString()).out().contains(words));
    }

    @Test
    void shouldListMessagesWithFilters()
    {
        final long ends = inspect("--events", "--message=Free", "--csv").lines().count() - 1;
        assertEquals(report.get("requests.submitted"), Long.toString(ends));
        final String of = inspect("--events", "--request=3", "--message=Free,Submit,Accepted", "--csv");
        assertEquals(4, of.lines().count(), of);
        final String record = of.lines().skip(1).findFirst().orElseThrow().split(",")[0];
        assertTrue(inspect("--events", "--record=" + record).contains("Accepted"));
        assertTrue(inspect("--events", "--limit=2").contains("rows              2 of "));
        assertEquals(inspect("--events", "--message=Free", "--csv"),
            inspect("--events", "--message=Free", "--csv", "--follow"));
        for (final String table : List.of("--requests", "--rank=1 --every=0.5", "--expert=7 --every=0.25",
            "--request=3 --steps", "--request=3 --blocks", "--block=0:17"))
        {
            final String[] options = (table + " --csv").split(" ");
            assertEquals(inspect(options), inspect((table + " --csv --follow").split(" ")), table);
        }
        final String all = inspect("--events", "--message=Free", "--follow");
        assertTrue(all.contains("rows              " + ends + "\n") && all.contains("journal           closed"), all);
        assertTrue(inspect("--events", "--message=Withdrawn", "--rank=1", "--csv").contains("rank=1"));
        assertTrue(inspect("--events", "--message=Withdrawn", "--rank=0", "--csv").lines().count() == 1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--slowest=3 | --slowest belongs to inspect requests, not to inspect run, which has ",
        "--requests --steps --request=1 | --requests and --steps ask two questions; leave one out.",
        "--steps | --steps is about one request; add --request=ID.",
        "--block=7 | '7' is not a block; give RANK:BLOCK, such as 0:17.",
        "--rank=-1 | RANK=-1 is negative; give 0 or more.",
        "--rank=0 --every=0 | --every=0.0 is no interval of 1e-9 to 9e9 seconds; give one",
        "--rank=0 --every=1e300 | --every=1.0E300 is no interval of 1e-9 to 9e9 seconds; give one",
        "--requests --from=5 --to=5 | --from=5.0 is not before --to=5.0; correct one of them.",
        "--experts --follow | not to inspect experts, which has ",
        "--requests --slowest=3 --follow | the rows of --slowest are known at the end only; leave one out",
        "--moment=1 --follow | not to inspect moment, which has ",
        "--follow | not to inspect run, which has ",
        "--events --follow --parquet=x | --follow lists what is new, and --parquet writes a whole file; leave one out.",
        "--requests --limit=0 | --limit=0 is below 1; give the number of rows to print.",
        "--requests --csv --json | --csv and --json exclude each other; leave one out.",
        "--request=3 --csv | --csv is for tables, and no table is asked for; leave it out.",
        "--requests --slowest=0 | --slowest=0 is not between 1 and 1000000.",
        "--expert=64 | cannot answer this: its layers have 64 experts, 0 to 63; ask something else",
        "--expert=64 --follow | cannot answer this: its layers have 64 experts, 0 to 63; ask something else",
        "--request=9999 --steps | request 9999 is not in ",
        "--request=9999 --blocks --json | requests have ids from 1 to ",
        "--request=9999 --events --csv | ; give one of them.",
        "--requests --rank=2 | rank 2 is none of the run's, which are 0 to 1; give one of them.",
        "--events --rank=2 --follow | rank 2 is none of the run's, which are 0 to 1; give one of them.",
        "--events --record=99999999 | record 99999999 is behind the last group that was read, that of record ",
        "--request=3 --steps --json-file=x | --json-file is for documents of known size; print the table with --json"})
    void shouldRefuseInOneSentence(final String options, final String sentence)
    {
        final CommandRun run = CommandRun.of(
            Stream.concat(Stream.of("inspect", journal.toString()), Stream.of(options.split(" "))).toList());

        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.out());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals("", run.out());
    }

    @Test
    void shouldLeaveNoFileOfARequestThatIsNotThere()
    {
        final Path file = directory.resolve("steps.parquet");
        final CommandRun run =
            CommandRun.of("inspect", journal.toString(), "--request=9999", "--steps", "--parquet=" + file);

        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.out());
        assertFalse(Files.exists(file));
        assertEquals("", run.out());
    }

    @Test
    void shouldPrintNothingOfAnAbsentJournal()
    {
        final CommandRun run = CommandRun.of("inspect", directory.resolve("absent").toString(), "--requests", "--json");

        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals("", run.out());
    }
}
