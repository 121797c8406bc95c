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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code inspect series} against the report of the whole run and the state at each moment. */
class InspectSeriesTest
{
    private static final int RANKS = 3;
    private static final String SLO = "ttft=40ms,tpot=20ms";
    @TempDir
    private static Path directory;
    private static String journal;
    private static Map<String, String> report;

    @BeforeAll
    static void simulate()
    {
        journal = directory.resolve("journal").toString();
        json("simulate", "--conversations", "20", "--ranks", "3", "--limit", "70", "--kv-blocks", "300", "--max-context",
            "1500", "--arrivals", "poisson:15", "--cancel-fraction", "0.2", "--cancel-after", "0.2", "--max-running", "4",
            "--faults", "rank 1 step 30 lost back-after 2s", "--journal", journal, "--no-verify");
        report = json("inspect", "run", journal, "--slo", SLO);
    }

    private static String output(final List<String> arguments)
    {
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run.out();
    }

    private static Map<String, String> json(final String... arguments)
    {
        return JsonText.leaves(output(Stream.concat(Arrays.stream(arguments), Stream.of("--json")).toList()));
    }

    /** Rows of the table, each as its cells. */
    private static List<List<String>> rows(final String... options)
    {
        final List<String> line = new ArrayList<>(List.of("inspect", "series", journal, "--csv"));
        line.addAll(List.of(options));
        return output(line).lines().skip(1).map(row -> List.of(row.split(",", -1))).toList();
    }

    private static int column(final String name)
    {
        final List<String> titles =
            List.of(output(List.of("inspect", "series", journal, "--csv", "--limit", "1")).lines().findFirst()
                .orElseThrow().split(","));
        return titles.indexOf(name);
    }

    private static long sum(final List<List<String>> rows, final String column, final boolean whole)
    {
        final int index = column(column);
        return rows.stream().filter(row -> row.get(1).equals("all") == whole)
            .mapToLong(row -> Long.parseLong(row.get(index))).sum();
    }

    @ParameterizedTest
    @CsvSource({"0.25", "700ms", "10s", "9e9"})
    void shouldAddUpToTheReport(final String every)
    {
        final List<List<String>> rows = rows("--every", every, "--slo", SLO);

        assertEquals(figure("requests.submitted"), sum(rows, "arrivals", true));
        assertEquals(figure("requests.completed"), sum(rows, "completed", true));
        for (final String end : List.of("cancelled", "missedDeadlines", "abortedByNewWeights", "failed", "refused"))
        {
            assertEquals(figure("requests." + end), sum(rows, end, true), end);
        }
        assertEquals(figure("throughput.outputTokens"), sum(rows, "emitted", true));
        assertEquals(figure("prefixCache.promptTokens"), sum(rows, "promptTokens", true));
        assertEquals(figure("prefixCache.matchedTokens"), sum(rows, "matchedTokens", true));
        assertEquals(figure("goodput.requests"), sum(rows, "goodputRequests", true));
        assertEquals(figure("placements.placements"), sum(rows, "arrivals", false));
        for (final String column : List.of(
            "completed", "failed", "emitted", "promptTokens", "matchedTokens", "goodputRequests"))
        {
            assertTrue(sum(rows, column, false) <= sum(rows, column, true), column);
        }
        assertEquals(sum(rows, "goodputRequests", true), sum(rows, "goodputRequests", false));
        assertEquals(sum(rows, "emitted", true), sum(rows, "emitted", false));
        assertEquals(sum(rows, "matchedTokens", true), sum(rows, "matchedTokens", false));
    }

    private static long figure(final String name)
    {
        return Long.parseLong(report.get(name));
    }

    @Test
    void shouldHaveThePercentilesOfTheReportInOneInterval()
    {
        final List<String> whole = rows("--every", "9e9", "--rank", "all").get(0);

        for (final String latency : List.of("ttft", "tpot"))
        {
            for (final String quantile : List.of("50", "99"))
            {
                assertEquals(Double.parseDouble(report.get("latency." + latency + ".p" + quantile + "Ms")),
                    Double.parseDouble(whole.get(column(latency + "P" + quantile + "Ms"))), 1e-3, latency + quantile);
            }
        }
    }

    @Test
    void shouldListEveryIntervalWithTheStateAtItsEnd()
    {
        final List<List<String>> rows = rows("--every", "500ms");
        final int intervals = rows.size() / (RANKS + 1);
        assertEquals(0, rows.size() % (RANKS + 1));
        long queued = 0;
        for (int i = 0; i < intervals; i++)
        {
            final List<String> whole = rows.get(i * (RANKS + 1));
            assertEquals(0.5 * i, Double.parseDouble(whole.get(0)) - Double.parseDouble(rows.get(0).get(0)), 1e-9);
            if (i % 7 == 3)
            {
                queued += compareWithMoment(rows.subList(i * (RANKS + 1), (i + 1) * (RANKS + 1)));
            }
        }
        assertTrue(queued > 0, "no request waited at any of these moments");
    }

    /** Returns how many requests wait. */
    private static long compareWithMoment(final List<List<String>> rows)
    {
        final double end = Double.parseDouble(rows.get(0).get(0)) + 0.5;
        final Map<String, String> moment =
            json("inspect", "moment", journal, Double.toString(end - 1e-9), "--show", "ranks");
        long waiting = 0;
        long running = 0;
        for (int rank = 0; rank < RANKS; rank++)
        {
            final String row = "rows[" + rank + "].";
            assertEquals(moment.get(row + "waiting"), rows.get(rank + 1).get(column("waiting")));
            assertEquals(moment.get(row + "running"), rows.get(rank + 1).get(column("running")));
            waiting += Long.parseLong(moment.get(row + "waiting"));
            running += Long.parseLong(moment.get(row + "running"));
        }
        assertEquals("queue", moment.get("rows[" + RANKS + "].state"));
        waiting += Long.parseLong(moment.get("rows[" + RANKS + "].waiting"));
        assertEquals(waiting, Long.parseLong(rows.get(0).get(column("waiting"))));
        assertEquals(running, Long.parseLong(rows.get(0).get(column("running"))));
        return waiting;
    }

    @Test
    void shouldListTheSameRowsByWindowsAndByRanks()
    {
        final List<List<String>> rows = rows("--every", "1s");
        final List<List<String>> parts = new ArrayList<>(rows("--every", "1s", "--to", "3"));
        parts.addAll(rows("--every", "1s", "--from", "3", "--to", "7"));
        parts.addAll(rows("--every", "1s", "--from", "7"));
        assertEquals(rows, parts);
        assertEquals(rows.stream().filter(row -> row.get(1).equals("2")).toList(), rows("--every", "1s", "--rank", "2"));
        assertEquals(rows, rows("--every", "1s", "--follow"));
    }

    /** A rank that is lost has intervals without a step, and they are listed. */
    @Test
    void shouldListIdleIntervalsOfARank()
    {
        final List<String> steps = output(List.of("inspect", "rank", journal, "1", "--every", "0.2", "--csv")).lines()
            .skip(1).map(row -> row.split(",")[1]).toList();

        assertEquals(rows("--every", "0.2", "--rank", "1").size(), steps.size());
        assertTrue(steps.stream().filter(count -> count.equals("0")).count() >= 9, steps.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --rank=x     | --rank='x' is not a rank; give a number or all.
        --rank=3     | rank 3 is none of the run's, which are 0 to 2; give one of them.
        --every=1ns  | more than 1,000,000 intervals of 1 ns have no event; give a longer --every
        --every=0s   | '0s' is not a number
        --every=0    | --every=0.0 is no interval of 1e-9 to 9e9 seconds
        """)
    void shouldRefuseInOneSentence(final String option, final String sentence)
    {
        final CommandRun run = CommandRun.of("inspect", "series", journal, option);

        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(sentence), run.err());
    }
}
