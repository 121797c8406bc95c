// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.sweep;

import io.signalbox.compare.Figure;
import io.signalbox.sweep.SweepHalving;
import io.signalbox.sweep.SweepPlan;
import io.signalbox.sweep.SweepRanking;
import io.signalbox.sweep.SweepRun;
import io.signalbox.sweep.SweepValue;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SweepTextTest
{
    private static final List<Figure> FRONT = List.of(Figure.TTFT_P90);

    private static SweepPlan plan(
        final Map<String, List<String>> grid, final int draw, final Map<String, String> baseline, final SweepHalving halving)
    {
        final Map<String, List<SweepValue>> values = new LinkedHashMap<>();
        grid.forEach((name, texts) -> values.put(name, texts.stream().map(SweepValue::of).toList()));
        return new SweepPlan(Map.of("limit", SweepValue.of("5")), values, Map.of(), draw, 1, 1, 1, Figure.TTFT_P90, baseline,
            halving);
    }

    private static String print(final SweepPlan plan)
    {
        final SweepRun[][] runs = plan.cells().stream().map(cell -> new SweepRun[]{
            new SweepRun(cell.number(), cell.key(), 1, new double[Figure.values().length])}).toArray(SweepRun[][]::new);
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SweepText.print(new PrintStream(bytes, true, StandardCharsets.UTF_8), plan,
            new SweepRanking(plan, runs).ranked(FRONT), FRONT, Integer.MAX_VALUE);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** A plan comes from anyone who gives a directory. */
    @Test
    void shouldPrintNoControlOfAPlan()
    {
        final String name = "trace\u001b[31m\n";
        final String value = "a.jsonl\u202e\n#1\u009b";
        final String text = print(plan(Map.of(name, List.of(value, "b")), 0, Map.of(name, value), SweepHalving.NONE));
        assertFalse(text.chars().anyMatch(c -> c != '\n' && Character.isISOControl(c) || c == 0x202E), text);
        assertEquals(8, text.lines().count(), text);
        assertTrue(text.contains("from the cell with trace?[31m?=a.jsonl??#1? and"), text);
    }

    @Test
    void shouldSayWhichCellsHaveNoBaseline()
    {
        final Map<String, List<String>> grid = new LinkedHashMap<>();
        grid.put("ranks", List.of("1", "2", "3", "4"));
        grid.put("router", List.of("a", "b"));
        final Map<String, String> baseline = Map.of("router", "a");
        assertFalse(print(plan(grid, 0, baseline, SweepHalving.NONE)).contains("the baseline cell of"));
        final SweepPlan drawn = plan(grid, 5, baseline, SweepHalving.NONE);
        assertEquals(List.of("2a", "2b", "3b", "4a", "4b"), drawn.cells()
            .stream().map(cell -> cell.settings().get("ranks") + cell.settings().get("router")).toList());
        final String text = print(drawn);
        assertEquals(1, text.lines().filter(line -> line.endsWith("   not in the draw")).count(), text);
        assertTrue(text.endsWith("the baseline cell of 1 cell is not in the draw\n"), text);
        assertTrue(print(plan(grid, 0, baseline, new SweepHalving(2, 1, List.of(0, 3))))
            .endsWith("the baseline cell of 1 cell is not in this round\n"));
    }
}
