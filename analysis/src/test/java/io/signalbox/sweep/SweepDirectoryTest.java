// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.ConfigException;
import io.signalbox.compare.Figure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SweepDirectoryTest
{
    private static final SweepPlan PLAN = SweepPlanTest.plan(Map.of("kv-blocks", List.of("9", "17", "33")), 0, Map.of());
    private static final List<SweepCell> CELLS = PLAN.cells();
    private static final String RESULTS = "results-0-of-1.jsonl";
    private static final String TEXT = "the plan";

    @TempDir
    private Path place;

    private static SweepRun run(final int cell, final long seed)
    {
        final double[] figures = new double[Figure.values().length];
        Arrays.setAll(figures, i -> i == 3 ? Double.NaN : 1.0 / (1 + i + cell + seed));
        return new SweepRun(cell, CELLS.get(cell).key(), seed, figures);
    }

    private SweepDirectory open(final SweepShard shard)
    {
        return SweepDirectory.open(place, TEXT, CELLS, shard);
    }

    private void write(final SweepShard shard, final SweepRun... runs)
    {
        try (SweepDirectory directory = open(shard))
        {
            Arrays.stream(runs).forEach(directory::append);
        }
    }

    private static void assertRefused(final String part, final Executable action)
    {
        final String message = assertThrows(ConfigException.class, action).getMessage();
        assertTrue(message.contains(part), message);
    }

    @Test
    void shouldReadBackEveryFigure()
    {
        write(SweepShard.WHOLE, run(0, 1), run(2, 2));
        final List<SweepRun> read = SweepDirectory.allRuns(place);
        assertEquals(2, read.size());
        assertArrayEquals(run(2, 2).figures(), read.get(1).figures());
    }

    /** A kill leaves a prefix of the file; each one is continued without loss of a whole line. */
    @Test
    void shouldContinueAfterACutAtEveryByte() throws IOException
    {
        write(SweepShard.WHOLE, run(0, 1), run(0, 2), run(1, 1));
        final byte[] whole = Files.readAllBytes(place.resolve(RESULTS));
        for (int length = 0; length <= whole.length; length++)
        {
            Files.write(place.resolve(RESULTS), Arrays.copyOf(whole, length));
            final long lines = new String(whole, 0, length).chars().filter(c -> c == '\n').count();
            assertEquals(lines, SweepDirectory.allRuns(place).size(), "read while it is written");
            try (SweepDirectory directory = open(SweepShard.WHOLE))
            {
                assertEquals(lines, directory.runs().size());
                assertEquals(lines > 2, directory.hasEnded(CELLS.get(1), 1));
                directory.append(run(2, 2));
            }
            assertEquals(lines + 1, SweepDirectory.allRuns(place).size(), "cut after " + length + " bytes");
        }
    }

    @Test
    void shouldNameTheLineThatIsDamaged() throws IOException
    {
        write(SweepShard.WHOLE, run(0, 1), run(0, 2));
        final String text = Files.readString(place.resolve(RESULTS));
        for (final String damaged : List.of(text.replaceFirst("\"seed\":2", "\"seed\":x"), text.replace("0.25", ""),
            text + "{}\n", text + "[" + "[".repeat(5000) + "\n", text + "x".repeat(20_000) + "\n",
            text.replaceFirst("ttftP50Ms", "ttftP51Ms"), text.replace("\"key\"", "\"cell\"")))
        {
            Files.writeString(place.resolve(RESULTS), damaged);
            assertRefused(RESULTS + " is damaged in line ", () -> SweepDirectory.allRuns(place));
            assertRefused(RESULTS + " is damaged in line ", () -> open(SweepShard.WHOLE));
        }
    }

    @Test
    void shouldRefuseRunsThatAreNotOfTheShard() throws IOException
    {
        write(SweepShard.WHOLE, run(0, 1), run(1, 1));
        assertRefused("has results-0-of-1.jsonl, of another number of shards than 2", () -> open(new SweepShard(0, 2)));
        Files.move(place.resolve(RESULTS), place.resolve("results-0-of-2.jsonl"));
        assertRefused("has a run of cell 1 with seed 1, which is not one of this shard", () -> open(new SweepShard(0, 2)));
        Files.delete(place.resolve("results-0-of-2.jsonl"));
        Files.writeString(place.resolve(RESULTS), run(0, 1).line() + "\n" + run(0, 1).line() + "\n");
        assertRefused("has a run of cell 0 with seed 1 twice", () -> open(SweepShard.WHOLE));
    }

    @Test
    void shouldRefuseAnotherPlanAndForeignDirectories() throws IOException
    {
        open(SweepShard.WHOLE).close();
        assertRefused("holds another sweep", () -> SweepDirectory.open(place, "other", CELLS, SweepShard.WHOLE));
        final Path foreign = Files.createDirectory(place.resolve("foreign"));
        Files.writeString(foreign.resolve("notes.txt"), "mine");
        assertRefused("holds files and no sweep", () -> SweepDirectory.open(foreign, TEXT, CELLS, SweepShard.WHOLE));
        assertEquals(List.of(foreign.resolve("notes.txt")), list(foreign));
        assertRefused("has no plan.json", () -> SweepDirectory.plan(foreign));
        assertRefused("notes.txt", () ->
            SweepDirectory.open(foreign.resolve("notes.txt"), TEXT, CELLS, SweepShard.WHOLE));
    }

    private static List<Path> list(final Path directory) throws IOException
    {
        try (var entries = Files.list(directory))
        {
            return entries.toList();
        }
    }

    @Test
    void shouldLetOneProcessWriteAShard()
    {
        try (SweepDirectory first = open(SweepShard.WHOLE))
        {
            assertRefused("is written by another process", () -> open(SweepShard.WHOLE));
            first.append(run(0, 1));
        }
        try (SweepDirectory second = open(SweepShard.WHOLE))
        {
            assertTrue(second.hasEnded(CELLS.get(0), 1));
            assertFalse(second.hasEnded(CELLS.get(0), 2));
        }
    }

    @Test
    void shouldMergeTheShardsOfSeveralDirectories()
    {
        final Path other = place.resolve("other");
        write(new SweepShard(0, 2), run(0, 1), run(0, 2), run(2, 1), run(2, 2));
        try (SweepDirectory directory = SweepDirectory.open(other, TEXT, CELLS, new SweepShard(1, 2)))
        {
            directory.append(run(1, 2));
            assertRefused("cell 1 (kv-blocks=17) with seed 1 is missing; run the shard",
                () -> new SweepMerge(PLAN).add(place).add(other).complete());
            assertRefused("cell 0 (kv-blocks=9) with seed 1 is missing, and 4 others",
                () -> new SweepMerge(PLAN).add(other).complete());
            directory.append(run(1, 1));
        }
        final SweepRun[][] runs = new SweepMerge(PLAN).add(other).add(place).complete();
        assertTrue(runs[1][0].isSame(run(1, 1)) && runs[2][1].isSame(run(2, 2)));
        assertRefused("with seed 1 is in " + place + " and in " + place + "; give each shard once",
            () -> new SweepMerge(PLAN).add(place).add(place));
    }

    @Test
    void shouldNameRunsWithOtherFigures() throws IOException
    {
        write(SweepShard.WHOLE, run(0, 1));
        final Path other = Files.createDirectory(place.resolve("other"));
        Files.writeString(other.resolve(RESULTS),
            new SweepRun(0, CELLS.get(0).key(), 1, run(1, 1).figures()).line() + "\n");
        assertRefused("with other figures", () -> new SweepMerge(PLAN).add(place).add(other));
        Files.writeString(other.resolve(RESULTS), new SweepRun(0, "other", 1, run(1, 1).figures()).line() + "\n");
        assertRefused("which is not in the plan", () -> new SweepMerge(PLAN).add(place).add(other));
        Files.writeString(other.resolve(RESULTS), new SweepRun(0, CELLS.get(0).key(), 3, run(1, 1).figures()).line() + "\n");
        assertRefused("cell 0 with seed 3, which is not in the plan", () -> new SweepMerge(PLAN).add(other));
    }
}
