// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.ConfigException;
import io.signalbox.compare.Figure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SweepPlanTest
{
    static SweepPlan plan(final Map<String, List<String>> grid, final int draw, final Map<String, String> baseline)
    {
        final Map<String, List<SweepValue>> values = new LinkedHashMap<>();
        grid.forEach((name, texts) -> values.put(name, texts.stream().map(SweepValue::of).toList()));
        return new SweepPlan(
            Map.of("limit", SweepValue.of("100")), values, Map.of(), draw, 7, 1, 2, Figure.TTFT_P90, baseline,
            SweepHalving.NONE);
    }

    private static Map<String, List<String>> grid()
    {
        final Map<String, List<String>> grid = new LinkedHashMap<>();
        grid.put("router", List.of("kv-aware", "round-robin"));
        grid.put("kv-blocks", List.of("4097", "8193", "16385"));
        return grid;
    }

    @Test
    void shouldNumberEachCombinationWithTheLastOptionFastest()
    {
        final List<SweepCell> cells = plan(grid(), 0, Map.of()).cells();
        assertEquals(6, cells.size());
        assertEquals("cell 1 (router=kv-aware, kv-blocks=8193)", cells.get(1).toString());
        assertEquals("cell 3 (router=round-robin, kv-blocks=4097)", cells.get(3).toString());
        assertEquals(6, cells.stream().map(SweepCell::key).distinct().count());
    }

    @Test
    void shouldGiveACombinationTheSameKeyInAnotherGrid()
    {
        final Map<String, List<String>> turned = new LinkedHashMap<>();
        turned.put("kv-blocks", List.of("16385"));
        turned.put("router", List.of("round-robin"));
        assertEquals(plan(grid(), 0, Map.of()).cells().get(5).key(), plan(turned, 0, Map.of()).cells().get(0).key());
        assertNotEquals(plan(grid(), 0, Map.of()).cells().get(4).key(), plan(turned, 0, Map.of()).cells().get(0).key());
    }

    @Test
    void shouldDrawDifferentCellsFromAGridThatNoMemoryHolds()
    {
        final List<String> values = IntStream.range(0, 1000).mapToObj(Integer::toString).toList();
        final Map<String, List<String>> large = new LinkedHashMap<>();
        List.of("a", "b", "c", "d", "e").forEach(name -> large.put(name, values));
        final List<SweepCell> cells = plan(large, 500, Map.of()).cells();
        assertEquals(500, new HashSet<>(cells.stream().map(SweepCell::settings).toList()).size());
        assertEquals(cells, plan(large, 500, Map.of()).cells());
        assertTrue(cells.stream().map(cell -> cell.settings().get("a")).distinct().count() > 250, "the first option varies");
    }

    @Test
    void shouldDrawEveryCellIfTheGridHasNoMore()
    {
        assertEquals(plan(grid(), 0, Map.of()).cells(), plan(grid(), 6, Map.of()).cells());
        assertEquals(5, plan(grid(), 5, Map.of()).cells().size());
    }

    @Test
    void shouldGiveEachCellToExactlyOneShard()
    {
        final List<SweepCell> cells = plan(grid(), 0, Map.of()).cells();
        final List<SweepCell> ofShards = Stream.of("0/4", "1/4", "2/4", "3/4")
            .flatMap(shard -> SweepShard.of(shard).of(cells).stream()).toList();
        assertEquals(6, ofShards.size());
        assertEquals(new HashSet<>(cells), new HashSet<>(ofShards));
    }

    @Test
    void shouldRefuseShardsThatDoNotExist()
    {
        for (final String shard :
            List.of("", "8/8", "-1/8", "1", "1/2/3", "a/b", "0/0", "0/100001", "0/99999999999", "1/ 2"))
        {
            assertTrue(assertThrows(ConfigException.class, () -> SweepShard.of(shard)).getMessage()
                .startsWith("--shard=" + shard + " is not INDEX/COUNT"), shard);
        }
    }

    @Test
    void shouldRefuseWhatIsNoPlan()
    {
        assertRefused("the grid has a=1 twice", () -> plan(Map.of("a", List.of("1", "1")), 0, Map.of()));
        assertRefused("the grid gives a no value", () -> plan(Map.of("a", List.of()), 0, Map.of()));
        assertRefused("the baseline names b, which the grid does not vary", () -> plan(grid(), 0, Map.of("b", "1")));
        assertRefused("the baseline has router=other", () -> plan(grid(), 0, Map.of("router", "other")));
        final List<String> many = IntStream.range(0, 1001).mapToObj(Integer::toString).toList();
        assertRefused("1002001 combinations", () -> plan(Map.of("a", many, "b", many), 0, Map.of()));
        final Map<String, List<String>> huge = new LinkedHashMap<>();
        IntStream.range(0, 9).forEach(i -> huge.put("a" + i, many));
        assertRefused("more than 2^62 combinations", () -> plan(huge, 10, Map.of()));
    }

    private static void assertRefused(final String part, final Executable making)
    {
        final String message = assertThrows(ConfigException.class, making).getMessage();
        assertTrue(message.contains(part), message);
    }
}
