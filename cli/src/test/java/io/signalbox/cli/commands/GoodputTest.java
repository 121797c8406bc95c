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
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Goodput of {@code --slo} against the table of requests, by tenant and by rank. */
class GoodputTest
{
    @TempDir
    private static Path directory;
    private static String journal;
    /** The table of requests, a row each. */
    private static Map<String, String> requests;
    private static int count;

    @BeforeAll
    static void simulate()
    {
        journal = directory.resolve("journal").toString();
        json("simulate", "--conversations", "20", "--ranks", "3", "--limit", "90", "--tenants", "a=1,b=2,c=1",
            "--arrivals", "poisson:15", "--cancel-fraction", "0.2", "--cancel-after", "0.2",
            "--faults", "rank 1 step 30 lost back-after 2s", "--journal", journal, "--no-verify");
        requests = json("inspect", "requests", journal);
        count = Integer.parseInt(requests.get("count"));
    }

    private static Map<String, String> json(final String... arguments)
    {
        final CommandRun run = CommandRun.of(Stream.concat(
            Arrays.stream(arguments), Stream.of("--json")).toList());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return JsonText.leaves(run.out());
    }

    private static BigDecimal cell(final int row, final String column)
    {
        return new BigDecimal(requests.get("rows[" + row + "]." + column));
    }

    private static boolean ended(final int row, final String... ends)
    {
        return List.of(ends).contains(requests.get("rows[" + row + "].end"));
    }

    private static boolean isWithin(final int row, final BigDecimal ttft, final BigDecimal tpot, final BigDecimal e2e)
    {
        final BigDecimal tokens = cell(row, "tokens");
        final BigDecimal afterFirst = cell(row, "totalMs").subtract(cell(row, "ttftMs"));
        return cell(row, "ttftMs").compareTo(ttft) <= 0 && cell(row, "totalMs").compareTo(e2e) <= 0 &&
            (tokens.intValue() < 2 || afterFirst.compareTo(tpot.multiply(tokens.subtract(BigDecimal.ONE))) < 1);
    }

    private static void compare(final BigDecimal ttft, final BigDecimal tpot, final BigDecimal e2e)
    {
        final String slo = "ttft=" + ttft.toPlainString() + "ms,tpot=" + tpot.toPlainString() + "ms,e2e=" +
            e2e.toPlainString() + "ms";
        int within = 0;
        int counted = 0;
        for (int row = 0; row < count; row++)
        {
            final boolean completed = ended(row, "length", "stop");
            within += completed && isWithin(row, ttft, tpot, e2e) ? 1 : 0;
            counted += completed || !ended(row, "cancelled", "unfinished") ? 1 : 0;
        }
        final Map<String, String> report = json("inspect", "run", journal, "--slo", slo);
        assertEquals(within, Integer.parseInt(report.get("goodput.requests")), slo);
        assertEquals(counted, Integer.parseInt(report.get("goodput.counted")), slo);
        assertEquals((double)within / counted, Double.parseDouble(report.get("goodput.share")), 1e-6);
        assertEquals(within / Double.parseDouble(report.get("simulatedSeconds")),
            Double.parseDouble(report.get("goodput.requestsPerSecond")), 1e-4);
        assertEquals(within, sum(report, "tenants", ".goodput.requests", 3), "tenants");
        assertEquals(counted, sum(report, "tenants", ".goodput.counted", 3), "tenants");
        assertEquals(within, sum(report, "goodput.ranks", ".requests", 3), "ranks");
    }

    private static int sum(final Map<String, String> report, final String list, final String figure, final int size)
    {
        int sum = 0;
        for (int i = 0; i < size; i++)
        {
            sum += Integer.parseInt(report.get(list + "[" + i + "]" + figure));
        }
        return sum;
    }

    @Test
    void shouldCountWhatTheTableOfRequestsShows()
    {
        final BigDecimal day = new BigDecimal(86_400_000);
        compare(day, day, day);
        int borders = 0;
        for (int row = 0; row < count; row += 4)
        {
            if (ended(row, "length", "stop") && cell(row, "tokens").intValue() > 1)
            {
                // A request that needs exactly the limit is within it.
                compare(cell(row, "ttftMs"), day, day);
                compare(day, new BigDecimal(12), cell(row, "totalMs"));
                borders++;
            }
        }
        assertTrue(borders > 5, "borders: " + borders);
    }

    @Test
    void shouldReportTheSameFromTheRunAndFromItsJournal()
    {
        final String[] workload = {"simulate", "--conversations", "3", "--limit", "9", "--slo", "ttft=20ms"};
        final String again = directory.resolve("again").toString();
        final String run = CommandRun.of(Stream.concat(Arrays.stream(workload),
            Stream.of("--journal", again, "--no-verify")).toList()).out();
        final String inspected = CommandRun.of("inspect", again, "--slo", "ttft=20ms").out();

        final String line = run.lines().filter(row -> row.startsWith("goodput ")).findFirst().orElseThrow();
        assertTrue(line.contains(" requests/s within TTFT 20ms: "), line);
        assertTrue(inspected.contains(line), inspected);
    }

    @Test
    void shouldCompareGoodput()
    {
        final Map<String, String> whatIf =
            json("whatif", journal, "--kv-blocks", "20000", "--slo", "ttft=30ms,tpot=20ms", "--workers", "1");
        final Map<String, String> report = json("inspect", "run", journal, "--slo", "ttft=30ms,tpot=20ms");
        assertEquals(Double.parseDouble(report.get("goodput.share")),
            Double.parseDouble(whatIf.get("recorded.figures.goodputShare.value")), 1e-6);
        final String routers = CommandRun.of("compare", "--conversations", "3", "--limit", "9", "--seeds", "1",
            "--workers", "1", "--router", "default", "--slo", "e2e=86400s").out();
        assertTrue(routers.matches("(?s).*router +goodput/s +in limits, %\ndefault +[0-9.]+ +100\\.00\n.*"), routers);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ttft=60     | ttft=60 has no limit in range; give a duration from 1ns to 86400s such as
        ttft=1ms,ttft=2ms | ttft is limited twice
        itl=5ms     | 'itl=5ms' is not a limit of ttft, tpot or e2e; give a list such as ttft=500ms,tpot=25ms
        ttft        | 'ttft' is not a limit of ttft, tpot or e2e
        ttft=never  | ttft=never has no limit in range
        ttft=0ms    | ttft=0ms has no limit in range
        """)
    void shouldRefuseInOneSentence(final String slo, final String sentence)
    {
        final CommandRun run = CommandRun.of("inspect", "run", journal, "--slo=" + slo);

        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(sentence), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", "ttft=1ms,"})
    void shouldRefuseAnEmptyPart(final String slo)
    {
        assertEquals(ExitCode.BAD_INPUT, CommandRun.of("inspect", "run", journal, "--slo=" + slo).exitCode());
    }
}
