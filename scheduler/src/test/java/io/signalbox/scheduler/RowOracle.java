// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.TableChangeKind;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Remembers every row that a step computed, by request and position and by (rank, block, issue, offset), and demands
 * that the first accepted one is what the scheduler has. It knows nothing of pages.
 */
final class RowOracle
{
    private record BlockUse(int rank, int blockId, int issue)
    {
    }

    private final int blockSize;
    private final int rowBytes;
    private final Map<Long, Map<Integer, Long>> requestRows = new HashMap<>();
    private final Map<Long, Map<Integer, BlockUse>> tables = new HashMap<>();
    private final Map<BlockUse, Map<Integer, Long>> blockRows = new HashMap<>();
    private final Deque<Runnable> commits = new ArrayDeque<>();
    private boolean ownerGone;

    RowOracle(final SchedulerConfig config)
    {
        blockSize = config.blockSizeTokens();
        rowBytes = config.capture().rowBytes();
    }

    /** What the backend computes for one token of a step; another step or place gives other ids. */
    static long row(final SchedulerHarness.Step step, final int token)
    {
        return StateDigest.mix((long)step.epoch() << 32 | step.rank(), step.step(), token);
    }

    static void fillRow(
        final SchedulerHarness.Step step,
        final int token,
        final MutableDirectBuffer rows,
        final int offset,
        final int length)
    {
        fill(row(step, token), rows, offset, length);
    }

    private static void fill(final long seed, final MutableDirectBuffer rows, final int offset, final int length)
    {
        for (int i = 0; i < length; i++)
        {
            rows.putByte(offset + i, (byte)(StateDigest.mix(seed, i) & 0x3F));
        }
    }

    void tableChange(final int rank, final ScheduleDecoder.TableChangesDecoder change, final boolean hasEmitted)
    {
        final BlockUse use = new BlockUse(rank, change.blockId(), change.issue());
        final long requestId = change.requestId();
        final int index = change.blockIndex();
        tables.computeIfAbsent(requestId, id -> new HashMap<>()).put(index, use);
        final Map<Integer, Long> own = requestRows.computeIfAbsent(requestId, id -> new HashMap<>());
        if (change.kind() == TableChangeKind.MATCHED)
        {
            final Map<Integer, Long> shared = blockRows.getOrDefault(use, Map.of());
            shared.forEach((offset, row) ->
            {
                final int position = index * blockSize + offset;
                own.put(position, hasEmitted ? own.getOrDefault(position, row) : row);
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

    void committed(final long requestId, final boolean gone)
    {
        ownerGone = gone;
        commits.removeFirst().run();
    }

    private void accept(final SchedulerHarness.Step step, final SchedulerHarness.Row row, final int firstToken)
    {
        if (ownerGone)
        {
            return;
        }
        final Map<Integer, Long> own = requestRows.computeIfAbsent(row.requestId(), id -> new HashMap<>());
        for (int i = 0; i < row.tokens(); i++)
        {
            final int position = row.start() + i;
            own.putIfAbsent(position, row(step, firstToken + i));
            final BlockUse use = tables.get(row.requestId()).get(position / blockSize);
            blockRows.computeIfAbsent(use, key -> new HashMap<>()).putIfAbsent(position % blockSize, own.get(position));
        }
    }

    /** The differences between the scheduler's rows of a request and what was computed for it. */
    List<String> differences(final Scheduler scheduler, final long requestId, final int rowCount)
    {
        final List<String> differences = new ArrayList<>();
        final Map<Integer, Long> own = requestRows.getOrDefault(requestId, Map.of());
        final UnsafeBuffer expected = new UnsafeBuffer(new byte[rowBytes]);
        for (int position = 0; position < rowCount; position++)
        {
            final short[] actual = scheduler.rows(requestId).copy(position, position + 1).ids();
            final Long seed = own.get(position);
            if (seed == null)
            {
                differences.add("row " + position + " was never computed");
                continue;
            }
            fill(seed, expected, 0, rowBytes);
            for (int i = 0; i < rowBytes; i++)
            {
                if (actual[i] != (short)(expected.getByte(i) & 0xFF))
                {
                    differences.add("row " + position + " place " + i + " is " + actual[i]);
                    break;
                }
            }
        }
        return differences;
    }

    void assertRows(final Scheduler scheduler, final long requestId, final int rowCount)
    {
        assertEquals(List.of(), differences(scheduler, requestId, rowCount), "rows of request " + requestId);
    }
}
