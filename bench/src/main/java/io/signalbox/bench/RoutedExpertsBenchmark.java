// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.experts.BlockPages;
import io.signalbox.experts.CapturedRows;
import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.RowCheck;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Routed experts per block, 58 MoE layers with top-8 of 256 experts, in 2 GB of pages, beside plain copies of the same
 * bytes between the same places. A store has one row for each of 256 random blocks, 237,568 bytes as int16: 10 GB/s
 * of source bytes are 23.8 µs. A read has the 8,192 rows of one request, which alternates between {@code requests}.
 *
 * <p>Every store reaches its page through {@link BlockPages#store}, as the commit of a step does.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 3, jvmArgsAppend = {"-Xms5g", "-Xmx5g", "-XX:+AlwaysPreTouch", "-XX:+UseTransparentHugePages"})
public class RoutedExpertsBenchmark
{
    private static final ModelShape SHAPE = new ModelShape(58, 256, 8);
    private static final int ROW_BYTES = SHAPE.rowBytes();
    private static final int BLOCK_SIZE = 16;
    private static final int PAGE_BYTES = BLOCK_SIZE * ROW_BYTES;
    private static final int BLOCKS = 262_144;
    private static final int TOKENS = 256;
    private static final int READ_ROWS = 8192;
    private static final int READ_BLOCKS = READ_ROWS / BLOCK_SIZE;

    /** Steps that fill every row of every block once, in random order. */
    @State(Scope.Benchmark)
    public static class Steps
    {
        final int[][] blockIds = new int[BLOCKS * BLOCK_SIZE / TOKENS][TOKENS];
        final int[][] positions = new int[BLOCKS * BLOCK_SIZE / TOKENS][TOKENS];
        final UnsafeBuffer shorts = new UnsafeBuffer(new byte[TOKENS * ROW_BYTES * Short.BYTES]);
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[TOKENS * ROW_BYTES]);
        final CapturedRows rows = new CapturedRows().wrap(shorts, 0, TOKENS, ExpertIdType.INT16);
        final RowCheck check = new RowCheck(SHAPE);
        int next;

        @Setup
        public void setUp()
        {
            final int[] order = shuffled(BLOCKS, 1);
            for (int step = 0; step < blockIds.length; step++)
            {
                for (int i = 0; i < TOKENS; i++)
                {
                    final int slot = step * TOKENS + i;
                    final int blockId = order[slot % BLOCKS];
                    blockIds[step][i] = blockId;
                    positions[step][i] = (slot / BLOCKS + blockId) % BLOCK_SIZE;
                }
            }
            for (int id = 0; id < TOKENS * ROW_BYTES; id++)
            {
                final int expert = (id / 8 * 37 + id % 8 * 31) % SHAPE.experts();
                shorts.putShort(id * Short.BYTES, (short)expert);
                bytes.putByte(id, (byte)expert);
            }
        }
    }

    /** Our pages; every block of the pool has one. */
    @State(Scope.Benchmark)
    public static class Pages
    {
        final RoutedExpertPages pages = new RoutedExpertPages(SHAPE, BLOCK_SIZE);
        final BlockPages blockPages = new BlockPages(pages, BLOCKS + 1);

        /** The next step. A block is handed out again before its first row of every sixteen, and then gets a new page. */
        int next(final Steps steps)
        {
            final int step = steps.next;
            steps.next = (step + 1) % steps.blockIds.length;
            if (step < BLOCKS / TOKENS)
            {
                blockPages.onHandedOut(steps.blockIds[step], 0, TOKENS);
            }
            return step;
        }
    }

    /** The blocks of requests that are read by turns. */
    @State(Scope.Benchmark)
    public static class Reads
    {
        /** 1: all in the cache; 256: nothing but the destination is. */
        @Param({"1", "256"})
        int requests;

        final int[][] requestBlocks = new int[BLOCKS / READ_BLOCKS][READ_BLOCKS];
        int next;

        @Setup
        public void setUp()
        {
            final int[] order = shuffled(BLOCKS, 2);
            for (int request = 0; request < requestBlocks.length; request++)
            {
                System.arraycopy(order, request * READ_BLOCKS, requestBlocks[request], 0, READ_BLOCKS);
            }
        }

        int[] blocks()
        {
            next = (next + 1) % requests;
            return requestBlocks[next];
        }
    }

    /** Pages with every row, and what reads of requests write to. */
    @State(Scope.Benchmark)
    public static class FullPages
    {
        final Pages pages = new Pages();
        final UnsafeBuffer target = new UnsafeBuffer(new byte[READ_ROWS * ROW_BYTES * Short.BYTES]);

        @Setup
        public void setUp()
        {
            final Steps steps = new Steps();
            steps.setUp();
            for (int i = 0; i < steps.blockIds.length; i++)
            {
                final int step = pages.next(steps);
                pages.blockPages.storeRoutingPerBlock(steps.blockIds[step], steps.positions[step], TOKENS, steps.rows);
            }
        }
    }

    /** As many bytes as our pages have, for plain copies. */
    @State(Scope.Benchmark)
    public static class PlainPages
    {
        private static final int PAGES_PER_SLAB = 128;

        final byte[][] slabs = new byte[BLOCKS / PAGES_PER_SLAB][PAGES_PER_SLAB * PAGE_BYTES];
        final byte[] source = new byte[READ_ROWS * ROW_BYTES * Short.BYTES];
        final byte[] target = new byte[READ_ROWS * ROW_BYTES * Short.BYTES];

        byte[] slab(final int blockId)
        {
            return slabs[blockId / PAGES_PER_SLAB];
        }

        int start(final int blockId)
        {
            return blockId % PAGES_PER_SLAB * PAGE_BYTES;
        }
    }

    private static int[] shuffled(final int length, final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final int[] values = new int[length];
        for (int i = 0; i < length; i++)
        {
            final int j = random.nextInt(i + 1);
            values[i] = values[j];
            values[j] = i;
        }
        return values;
    }

    /** The operation of the allocator's API: int16 ids, checked. */
    @Benchmark
    public int storeInt16(final Steps steps, final Pages pages)
    {
        final int step = pages.next(steps);
        return pages.blockPages.storeRoutingPerBlock(steps.blockIds[step], steps.positions[step], TOKENS, steps.rows);
    }

    /** The commit of a step in the engine: rows come in storage width, by spans of the plan. */
    @Benchmark
    public int storeStorageWidth(final Steps steps, final Pages pages)
    {
        final int step = pages.next(steps);
        final int[] blockIds = steps.blockIds[step];
        final int[] positions = steps.positions[step];
        int stored = 0;
        for (int i = 0; i < TOKENS; i++)
        {
            stored += pages.blockPages.store(blockIds[i], positions[i], 1, steps.bytes, i * ROW_BYTES);
        }
        return stored;
    }

    /** All that the engine does with the rows of a step: the check of the report, then the commit. */
    @Benchmark
    public int storeStorageWidthChecked(final Steps steps, final Pages pages)
    {
        if (steps.check.firstUnsound(steps.bytes, 0, 0, TOKENS) < TOKENS)
        {
            throw new IllegalStateException("a row is not sound");
        }
        return storeStorageWidth(steps, pages);
    }

    /** Ceiling of the stores: a plain copy of each row to the same place. */
    @Benchmark
    public int storePlainCopy(final Steps steps, final PlainPages plain)
    {
        steps.next = (steps.next + 1) % steps.blockIds.length;
        final int[] blockIds = steps.blockIds[steps.next];
        final int[] positions = steps.positions[steps.next];
        for (int i = 0; i < TOKENS; i++)
        {
            System.arraycopy(plain.source, i * ROW_BYTES,
                plain.slab(blockIds[i]), plain.start(blockIds[i]) + positions[i] * ROW_BYTES, ROW_BYTES);
        }
        return blockIds.length;
    }

    @Benchmark
    public boolean reconstructInt16(final FullPages full, final Reads reads)
    {
        return full.pages.blockPages.reconstructRoutingFromBlocks(
            reads.blocks(), READ_BLOCKS, READ_ROWS, ExpertIdType.INT16, full.target, 0);
    }

    @Benchmark
    public boolean reconstructStorageWidth(final FullPages full, final Reads reads)
    {
        return full.pages.blockPages.reconstructRoutingFromBlocks(
            reads.blocks(), READ_BLOCKS, READ_ROWS, ExpertIdType.UINT8, full.target, 0);
    }

    /** Ceiling of the read in storage width: a plain copy of the same pages. */
    @Benchmark
    public byte[] reconstructPlainCopy(final PlainPages plain, final Reads reads)
    {
        final int[] blockIds = reads.blocks();
        for (int i = 0; i < READ_BLOCKS; i++)
        {
            System.arraycopy(plain.slab(blockIds[i]), plain.start(blockIds[i]), plain.target, i * PAGE_BYTES, PAGE_BYTES);
        }
        return plain.target;
    }

    /** Ceiling of the int16 read: a plain copy of as many bytes as it writes. */
    @Benchmark
    public byte[] reconstructPlainCopyOfInt16(final PlainPages plain)
    {
        System.arraycopy(plain.source, 0, plain.target, 0, plain.target.length);
        return plain.target;
    }
}
