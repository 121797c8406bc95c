// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Pages of docs/measured have the head, the order and the commands of their scripts; the guide says what the tables say. */
@Tag("threads")
class MeasuredRoutersTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final String OURS = "signalbox";
    /** Workload and KV blocks; twice our figure, the best one of TensorRT-LLM, its router. */
    private static final Pattern ROW = Pattern.compile("\\| ([a-zA-Z].*), ([\\d,]+) " +
        "\\| ([\\d,.]+) \\| ([\\d,.]+) `([a-z-]+)` \\| ([\\d.]+) \\| ([\\d.]+) `([a-z-]+)` \\|");
    /** Tables by the names of their workloads in the guide. */
    private static final Map<String, String> TITLES = Map.of(
        "Mooncake", "Mooncake conversation trace, open loop, 8 ranks",
        "Mooncake, 64 ranks", "Mooncake conversation trace, open loop, 64 ranks",
        "closed loop", "Closed loop of 256 clients, 8 ranks",
        "agent plays", "Agent plays, closed loop, 8 ranks",
        "bursty", "Generated, bursty arrivals, 8 ranks",
        "skewed", "Generated, skewed lengths, 8 ranks");

    /** Lines without tables, dates and blank lines. */
    private static List<String> withoutFigures(final String page)
    {
        return Arrays.stream(page.split("\n")).filter(line -> !line.startsWith("|") && !line.isBlank())
            .map(line -> line.replaceAll("\\d{4}-\\d{2}-\\d{2}", "DATE")).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"routers", "features"})
    void shouldBeThePageThatTheScriptWrites(final String name) throws IOException, InterruptedException
    {
        final Process script = new ProcessBuilder("sh", ROOT.resolve("scripts/measure-" + name).toString(), "--dry-run")
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        final String written = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, script.waitFor());

        assertEquals(String.join("\n", withoutFigures(written)),
            String.join("\n", withoutFigures(Files.readString(ROOT.resolve("docs/measured/" + name + ".md")))));
    }

    /** The guide counts the cells of the tables. */
    @Test
    void shouldCountTheCellsInTheGuide() throws IOException
    {
        final List<MeasuredCell> cells = cells();
        final List<MeasuredCell> best = cells.stream().filter(cell -> cell.isBest(OURS)).toList();
        final long level = best.stream().filter(cell -> cell.best().size() > 1).count();
        final long below =
            cells.stream().filter(cell -> cell.ttftMs().get(OURS) < cell.leastOfTensorRtLlm()).count();
        final long within =
            cells.stream().filter(cell -> cell.requestsPerSecond().get(OURS) >= 0.99 * cell.most()).count();
        final String sentence = ("In %d cells of workload, ranks and cache size, TTFT p90 of `signalbox` is the best of " +
            "all policies in %d (in %d of them along with another); it is below that of every TensorRT-LLM policy in %d. " +
            "Throughput is within 1 %% of the best in %d.").formatted(cells.size(), best.size(), level, below, within);

        assertTrue(guide().contains(sentence), sentence);
        assertTrue(guide().contains("of the first twelve routers in " + cells.size() + " cells of workload"));
    }

    /** The guide repeats some cells. */
    @Test
    void shouldRepeatTheCellsInTheGuide() throws IOException
    {
        final List<MeasuredCell> cells = cells();
        int compared = 0;
        for (final String line : Files.readAllLines(ROOT.resolve("docs/routers.md")))
        {
            final Matcher row = ROW.matcher(line);
            if (row.matches())
            {
                final MeasuredCell cell = cells.stream().filter(of -> of.title().equals(TITLES.get(row.group(1))) &&
                    of.kvBlocks().equals(row.group(2))).findFirst().orElseThrow(() -> new AssertionError(line));
                assertEquals(cell.ttftMs().get(OURS), number(row.group(3)), line);
                assertEquals(cell.leastOfTensorRtLlm(), number(row.group(4)), line);
                assertEquals(cell.leastOfTensorRtLlm(), cell.ttftMs().get(row.group(5)), line);
                assertEquals(cell.requestsPerSecond().get(OURS), number(row.group(6)), line);
                assertEquals(cell.mostOfTensorRtLlm(), number(row.group(7)), line);
                assertEquals(cell.mostOfTensorRtLlm(), cell.requestsPerSecond().get(row.group(8)), line);
                compared++;
            }
        }
        assertEquals(8, compared, "rows of docs/routers.md");
    }

    private static double number(final String text)
    {
        return Double.parseDouble(text.replace(",", ""));
    }

    private static List<MeasuredCell> cells() throws IOException
    {
        return MeasuredCell.of(Files.readAllLines(ROOT.resolve("docs/measured/routers.md")));
    }

    /** Without line ends. */
    private static String guide() throws IOException
    {
        return Files.readString(ROOT.resolve("docs/routers.md")).replace('\n', ' ');
    }
}
