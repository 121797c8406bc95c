// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Records every row that a step computed, by request and position and by (rank, block, issue, offset), and checks that
 * the scheduler has the first accepted one. It does not know pages. It needs the decisions of a scheduler. The oracle of the
 * test kit, {@code RowOracle}, has only the reports of a backend, and therefore accepts any row that was computed for the
 * token.
 */
final class FirstRowOracle
{
    private record BlockUse(int rank, int blockId, int issue)
    {
    }

    /** A row: the seed of its ids, the cache generation in which the request got it, and how the request got it. */
    private record Row(long seed, int generation, boolean inherited)
    {
    }

    private final int blockSize;
    private final ModelShape shape;
    private final Map<Long, Map<Integer, Row>> requestRows = new HashMap<>();
    private final Map<Long, Map<Integer, BlockUse>> tables = new HashMap<>();
    private final Map<BlockUse, Map<Integer, Long>> blockRows = new HashMap<>();
    private final Set<List<Integer>> usedBlocks = new HashSet<>();
    private final Deque<Runnable> commits = new ArrayDeque<>();
    private final Map<Long, Integer> admittedIn = new HashMap<>();
    private int advance;
    private int generation;

    FirstRowOracle(final SchedulerConfig config)
    {
        blockSize = config.blockSizeTokens();
        shape = config.capture();
    }

    /** The seed of the row that the backend computes for one token of a step: another one for each step and token. */
    static long seed(final SchedulerHarness.Step step, final int token)
    {
        return StateDigest.mix((long)step.epoch() << 32 | step.rank(), step.step(), token);
    }

    /** The rows of a step. */
    static DrivenScheduler.RowWriter rows(final SchedulerHarness.Step step)
    {
        return (token, shape, rows, offset) -> SeededRow.write(seed(step, token), shape, rows, offset);
    }

    /** Starts a cache generation: rows computed before it are not shared with later ones. */
    void newGeneration()
    {
        generation++;
    }

    /** A request without emitted tokens loses the rows of an earlier generation when it starts over. */
    void admitted(final long requestId, final boolean hasEmitted)
    {
        final Integer before = admittedIn.put(requestId, generation);
        if (before != null && before != generation && !hasEmitted)
        {
            requestRows.remove(requestId);
        }
    }

    void tableChange(final StepView step, final int change, final boolean hasEmitted)
    {
        final BlockUse use = new BlockUse(step.rank(), step.changeBlockId(change), step.changeIssue(change));
        usedBlocks.add(List.of(step.rank(), step.changeBlockId(change)));
        final long requestId = step.changeRequestId(change);
        final int index = step.changeIndex(change);
        tables.computeIfAbsent(requestId, id -> new HashMap<>()).put(index, use);
        final Map<Integer, Row> own = requestRows.computeIfAbsent(requestId, id -> new HashMap<>());
        if (step.changeIsMatch(change))
        {
            final Map<Integer, Long> shared = blockRows.getOrDefault(use, Map.of());
            shared.forEach((offset, seed) ->
            {
                final int position = index * blockSize + offset;
                final Row before = own.get(position);
                // A request that finds its former block again has captured those rows itself.
                if (before == null || !hasEmitted && before.seed() != seed)
                {
                    own.put(position, new Row(seed, generation, true));
                }
            });
        }
    }

    void completing(final SchedulerHarness.Step step)
    {
        commits.clear();
        int token = 0;
        for (final SchedulerHarness.Row row : step.rows())
        {
            final int first = token;
            commits.add(() -> accept(step, row, first));
            token += row.tokens();
        }
    }

    /** The scheduler counts so many tokens of the request's entry as computed. */
    void committed(final int tokens)
    {
        advance = tokens;
        commits.removeFirst().run();
    }

    private void accept(final SchedulerHarness.Step step, final SchedulerHarness.Row row, final int firstToken)
    {
        final Map<Integer, Row> own = requestRows.computeIfAbsent(row.requestId(), id -> new HashMap<>());
        final int admitted = admittedIn.get(row.requestId());
        for (int i = 0; i < advance; i++)
        {
            final int position = row.start() + i;
            final long computed = seed(step, firstToken + i);
            own.putIfAbsent(position, new Row(computed, admitted, false));
            // A block holds the row of its generation at this position, never an older one.
            final Row kept = own.get(position);
            final BlockUse use = tables.get(row.requestId()).get(position / blockSize);
            blockRows.computeIfAbsent(use, key -> new HashMap<>())
                .putIfAbsent(position % blockSize, kept.generation() == admitted ? kept.seed() : computed);
        }
    }

    /** The differences between the scheduler's rows of a request and the rows computed for it. */
    List<String> differences(final Scheduler scheduler, final long requestId, final int rowCount)
    {
        final List<String> differences = new ArrayList<>();
        final Map<Integer, Row> own = requestRows.getOrDefault(requestId, Map.of());
        for (int position = 0; position < rowCount; position++)
        {
            final short[] actual = scheduler.rows(requestId).copy(position, position + 1).ids();
            final Row row = own.get(position);
            if (row == null)
            {
                differences.add("row " + position + " was never computed");
                continue;
            }
            for (int place = 0; place < actual.length; place++)
            {
                if (actual[place] != (short)SeededRow.expert(row.seed(), shape, place))
                {
                    differences.add("row " + position + " place " + place + " is " + actual[place]);
                    break;
                }
            }
        }
        return differences;
    }

    /** Number of block allocations on all ranks. */
    int usedBlocks()
    {
        return usedBlocks.size();
    }

    /** The differences between the rows reported for an ended request and the rows computed for it. */
    List<String> differences(final SchedulerHarness.Ended end)
    {
        final Map<Integer, Row> own = requestRows.getOrDefault(end.requestId(), Map.of());
        final int inherited = (int)own.values().stream().filter(Row::inherited).count();
        final List<String> differences = new ArrayList<>();
        differ(differences, "captured", end.captured(), own.size() - inherited);
        differ(differences, "inherited", end.inherited(), inherited);
        differ(differences, "missing", end.missing(), 0);
        return differences;
    }

    private static void differ(final List<String> differences, final String what, final int actual, final int expected)
    {
        if (actual != expected)
        {
            differences.add(actual + " rows " + what + ", but " + expected + " were computed so");
        }
    }

    void assertRows(final Scheduler scheduler, final long requestId, final int rowCount)
    {
        assertEquals(List.of(), differences(scheduler, requestId, rowCount), "rows of request " + requestId);
    }
}
