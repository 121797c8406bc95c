// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.StateDigest;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The block allocator beside what bounds it: blocks to and from a plain array stack, and the copy of a block table.
 * Every pool is worked in before it is measured, so that neither ids nor ages are in the order of memory.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AllocatorBenchmark
{
    private static final int TABLE = 8;
    /** A prompt of 32k tokens in blocks of 16. */
    private static final int PROMPT = 2048;

    @Param({"1024", "16384", "262144", "4194304"})
    public int pool;

    private KvBlockAllocator allocator;
    private final int[] table = new int[TABLE];
    private final int[] single = new int[1];
    private long nextHash;

    private KvBlockAllocator matching;
    private long[] prompt;
    private int[] matched;
    private int[] knownTable;

    private KvBlockAllocator idle;
    private int[] stack;
    private int top;

    @Setup
    public void setUp()
    {
        final SplittableRandom random = new SplittableRandom(1);
        final KvBlockConfig config = KvBlockConfig.of(pool).withPrefixCaching(EvictionPolicy.LRU);
        idle = new KvBlockAllocator(config);
        scatter(idle, random);
        stack = new int[pool];
        top = pool - 1;
        for (int i = 0; i < top; i++)
        {
            stack[i] = idle.freeBlock(i);
        }
        allocator = new KvBlockAllocator(config);
        scatter(allocator, random);
        fillWithCachedBlocks();
        fillWithPrompt(config, random);
    }

    /** Takes all blocks and gives them back in a random order. */
    private static void scatter(final KvBlockAllocator allocator, final SplittableRandom random)
    {
        final int[] all = new int[allocator.totalAvailable()];
        allocator.allocate(all.length, all, 0);
        for (int i = all.length - 1; i > 0; i--)
        {
            final int other = random.nextInt(i + 1);
            final int block = all[i];
            all[i] = all[other];
            all[other] = block;
        }
        for (int i = 0; i < all.length; i++)
        {
            allocator.release(all, i, 1);
        }
    }

    private void fillWithCachedBlocks()
    {
        while (allocator.totalAvailable() > 0)
        {
            evictAllocateRegisterRelease();
        }
        // Once round, so that blocks are reused in the order in which they aged.
        for (int i = 0; i < 2 * pool; i++)
        {
            evictAllocateRegisterRelease();
        }
    }

    private void fillWithPrompt(final KvBlockConfig config, final SplittableRandom random)
    {
        final int blocks = Math.min(PROMPT, pool - 1);
        matching = new KvBlockAllocator(config);
        scatter(matching, random);
        prompt = new long[blocks];
        matched = new int[blocks];
        knownTable = new int[blocks];
        matching.allocate(blocks, knownTable, 0);
        for (int i = 0; i < blocks; i++)
        {
            prompt[i] = random.nextLong(1, Long.MAX_VALUE);
            matching.register(knownTable[i], prompt[i], i == 0 ? KvBlockAllocator.NO_HASH : prompt[i - 1], i);
        }
        // The rest of the pool is cached under other hashes, so that the index is as full as it gets.
        final int rest = matching.totalAvailable();
        final int[] others = new int[rest];
        matching.allocate(rest, others, 0);
        for (int i = 0; i < rest; i++)
        {
            matching.register(others[i], random.nextLong(1, Long.MAX_VALUE), KvBlockAllocator.NO_HASH, 0);
        }
        matching.release(others, 0, rest);
    }

    @Benchmark
    public int allocateAndRelease8()
    {
        idle.allocate(TABLE, table, 0);
        idle.release(table, 0, TABLE);
        return table[0];
    }

    /** The ceiling of the above: ids from and to a plain array, in and out. */
    @Benchmark
    public int plainStack8()
    {
        top -= TABLE;
        System.arraycopy(stack, top, table, 0, TABLE);
        System.arraycopy(table, 0, stack, top, TABLE);
        top += TABLE;
        return table[0];
    }

    @Benchmark
    public int evictAllocateRegisterRelease()
    {
        allocator.tick();
        allocator.allocate(1, single, 0);
        allocator.register(single[0], spread(++nextHash), KvBlockAllocator.NO_HASH, 0);
        allocator.release(single, 0, 1);
        return single[0];
    }

    /** Block hashes look random, and are neither zero nor negative. */
    private static long spread(final long counter)
    {
        return (StateDigest.mix(counter) >>> 1) + 1;
    }

    @Benchmark
    public int longestMatch()
    {
        return matching.longestMatch(prompt, 0, prompt.length, matched, 0);
    }

    /** The ceiling of the above: the table is known. */
    @Benchmark
    public int plainTableCopy()
    {
        System.arraycopy(knownTable, 0, matched, 0, matched.length);
        return matched[matched.length - 1];
    }
}
