// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import io.signalbox.conformance.megatron.MegatronRouting;
import io.signalbox.experts.BlockPages;
import io.signalbox.experts.CapturedRows;
import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.RoutedExpertsException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The engine's routing per block beside Megatron Core's: both get the same calls and return the same, except at three
 * points. A row that is stored again keeps its first ids here; a row that was never stored reads as -1 here and as expert
 * 0 there; a row that names no expert, or one twice in a layer, is refused here with the whole store.
 */
class RoutingBesidePropertyTest
{
    private static final String AGREED = "agreed";
    private static final String FIRST_WRITE_WINS = "first write wins";
    private static final String MISSING = "missing is not expert 0";
    private static final String IMPOSSIBLE_ROW = "impossible rows are refused";
    private static final ModelShape SHAPE = new ModelShape(2, 40, 2);
    private static final int BLOCKS = 5;
    private static final int BLOCK_SIZE = 4;
    private static final int DUMMY = BLOCKS - 1;

    private final Map<String, Integer> reached = new TreeMap<>();

    /** One run of calls: a number decides on all that a call does. */
    private final class Run
    {
        private Random random;
        private final MegatronRouting recorded = new MegatronRouting(SHAPE, BLOCKS, BLOCK_SIZE);
        private final RoutedExpertPages pages = new RoutedExpertPages(SHAPE, BLOCK_SIZE);
        private final BlockPages production = new BlockPages(pages, BLOCKS);
        /** Of each place the first and the last row since its block was handed out. */
        private final int[][][] first = new int[BLOCKS][BLOCK_SIZE][];
        private final int[][][] last = new int[BLOCKS][BLOCK_SIZE][];

        private void call(final long number)
        {
            random = new Random(number);
            switch (random.nextInt(8))
            {
                case 0, 1, 2 -> store(true);
                case 3 -> store(false);
                case 4 -> handOut(random.nextInt(BLOCKS));
                case 5 -> impossible();
                case 6 -> reset();
                default -> reconstruct();
            }
            IntStream.range(0, BLOCKS).forEach(this::compare);
        }

        private int[] row()
        {
            final int[] row = new int[SHAPE.rowIds()];
            Arrays.setAll(row, i -> 2 * random.nextInt(SHAPE.experts() / 2) + i % SHAPE.topK());
            return row;
        }

        private void store(final boolean step)
        {
            final int count = random.nextInt(7);
            final int block = random.nextInt(BLOCKS);
            final int[] blockIds = new int[count];
            final int[] positions = random.ints(count, 0, BLOCK_SIZE).toArray();
            final int[][] rows = IntStream.range(0, count).mapToObj(i -> row()).toArray(int[][]::new);
            Arrays.setAll(blockIds, i -> step ? random.nextInt(BLOCKS) : block);
            int stored = 0;
            for (int i = 0; i < count; i++)
            {
                stored += step && blockIds[i] == DUMMY ? 0 : note(blockIds[i], positions[i], rows[i]);
            }
            if (step)
            {
                recorded.storeStep(blockIds, positions, rows);
                assertEquals(stored, production.storeRoutingPerBlock(blockIds, positions, count, captured(rows)));
            }
            else
            {
                recorded.storeBlock(block, positions, rows);
                assertEquals(stored, production.storeBlockRouting(block, positions, count, captured(rows)));
            }
        }

        private int note(final int block, final int position, final int[] row)
        {
            last[block][position] = row;
            if (first[block][position] != null)
            {
                return 0;
            }
            first[block][position] = row;
            return 1;
        }

        /** Stored there and refused here, so only the production side is called. */
        private void impossible()
        {
            final int[][] rows = {row(), row()};
            final int[] faulty = rows[random.nextInt(2)];
            faulty[0] = random.nextBoolean() ? SHAPE.experts() : faulty[1];
            assertThrows(RoutedExpertsException.class,
                () -> production.storeRoutingPerBlock(new int[]{0, 1}, new int[]{0, 0}, 2, captured(rows)));
            reached.merge(IMPOSSIBLE_ROW, 1, Integer::sum);
        }

        private void handOut(final int block)
        {
            recorded.onHandedOut(new int[]{block}, 0, 1);
            production.onHandedOut(new int[]{block}, 0, 1);
            forget(block);
        }

        private void reset()
        {
            recorded.onReset();
            production.onReset();
            IntStream.range(0, BLOCKS).forEach(this::forget);
            assertEquals(0, pages.livePages());
        }

        private void forget(final int block)
        {
            Arrays.fill(first[block], null);
            Arrays.fill(last[block], null);
        }

        private void reconstruct()
        {
            final int[] blockIds = random.ints(random.nextInt(4), 0, BLOCKS).toArray();
            final int total = random.nextInt(BLOCK_SIZE * blockIds.length + 2);
            final UnsafeBuffer read = target(total);
            final int[] there = recorded.reconstruct(blockIds, total);
            assertEquals(there != null, production.reconstructRoutingFromBlocks(
                blockIds, blockIds.length, total, ExpertIdType.INT16, read, 0), "routing that is reconstructed");
            for (int i = 0; there != null && i < total; i++)
            {
                compareRow(blockIds[i / BLOCK_SIZE], i % BLOCK_SIZE, idsAt(read, i), part(there, i));
            }
        }

        private void compare(final int block)
        {
            final UnsafeBuffer read = target(BLOCK_SIZE);
            final int[] there = recorded.blockRouting(block);
            assertEquals(there != null, production.hasRouting(block));
            assertEquals(there != null, production.getBlockRouting(block, ExpertIdType.INT16, read, 0));
            for (int i = 0; there != null && i < BLOCK_SIZE; i++)
            {
                compareRow(block, i, idsAt(read, i), part(there, i));
            }
        }

        private void compareRow(final int block, final int position, final int[] here, final int[] there)
        {
            final int[] firstRow = first[block][position];
            final int[] missing = new int[SHAPE.rowIds()];
            if (firstRow == null)
            {
                assertArrayEquals(missing, there, MISSING);
                Arrays.fill(missing, RoutedExpertPages.MISSING);
                assertArrayEquals(missing, here, MISSING);
                reached.merge(MISSING, 1, Integer::sum);
                return;
            }
            assertArrayEquals(last[block][position], there, FIRST_WRITE_WINS);
            assertArrayEquals(firstRow, here, FIRST_WRITE_WINS);
            reached.merge(Arrays.equals(here, there) ? AGREED : FIRST_WRITE_WINS, 1, Integer::sum);
        }
    }

    private static CapturedRows captured(final int[][] rows)
    {
        final UnsafeBuffer buffer = target(rows.length);
        for (int i = 0; i < rows.length * SHAPE.rowIds(); i++)
        {
            final int id = rows[i / SHAPE.rowIds()][i % SHAPE.rowIds()];
            buffer.putShort(i * Short.BYTES, (short)id, ByteOrder.LITTLE_ENDIAN);
        }
        return new CapturedRows().wrap(buffer, 0, rows.length, ExpertIdType.INT16);
    }

    private static UnsafeBuffer target(final int rows)
    {
        return new UnsafeBuffer(new byte[rows * SHAPE.rowIds() * Short.BYTES]);
    }

    private static int[] idsAt(final UnsafeBuffer read, final int row)
    {
        return IntStream.range(row * SHAPE.rowIds(), (row + 1) * SHAPE.rowIds())
            .map(i -> read.getShort(i * Short.BYTES, ByteOrder.LITTLE_ENDIAN)).toArray();
    }

    private static int[] part(final int[] ids, final int row)
    {
        return Arrays.copyOfRange(ids, row * SHAPE.rowIds(), (row + 1) * SHAPE.rowIds());
    }

    private void run(final List<Long> calls)
    {
        final Run run = new Run();
        calls.forEach(run::call);
    }

    @Property
    void bothReturnTheSameExceptAtTheNamedPoints(@ForAll @Size(max = 80) final List<Long> calls)
    {
        run(calls);
    }

    @Test
    void shouldReachEveryNamedPoint()
    {
        for (int seed = 0; seed < 50; seed++)
        {
            run(new Random(seed).longs(40).boxed().toList());
        }
        for (final String point : new String[]{AGREED, FIRST_WRITE_WINS, MISSING, IMPOSSIBLE_ROW})
        {
            assertTrue(reached.getOrDefault(point, 0) > 100, point + ": " + reached);
        }
    }
}
