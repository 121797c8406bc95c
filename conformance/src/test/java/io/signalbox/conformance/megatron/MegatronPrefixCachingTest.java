// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Statements of Megatron Core's tests of its prefix cache about scheduling, through the planner; blocks of 32 tokens. */
class MegatronPrefixCachingTest
{
    private static final int BLOCK = 32;

    private static PlannerRun run(
        final EvictionPolicy policy, final int poolSize, final int maxTokens, final boolean chunked)
    {
        final KvBlockConfig blocks = KvBlockConfig.of(poolSize).withPrefixCaching(policy);
        return new PlannerRun(new PagingConfig(blocks, BLOCK, 16, maxTokens, 0, chunked));
    }

    private static PlannerRun run(final EvictionPolicy policy)
    {
        return run(policy, 64, 4096, false);
    }

    private static int[] prompt(final int length)
    {
        return IntStream.range(1, length + 1).toArray();
    }

    private static int[] with(final int[] prompt, final int position, final int token)
    {
        final int[] changed = prompt.clone();
        changed[position] = token;
        return changed;
    }

    private static int[] firstBlocks(final PagedRequest request, final int count)
    {
        return IntStream.range(0, count).map(request::block).toArray();
    }

    private static int[] queries(final StepLayout layout)
    {
        return IntStream.range(0, layout.activeRows()).map(layout::queryTokens).toArray();
    }

    @Test
    void shouldShareAllBlocksOfTenEqualPrompts()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        final PagedRequest first = run.submit(0, prompt(2 * BLOCK + 5), 40);
        run.step();
        final KvBlockPool allocator = run.planner.allocator();
        final int usedByOne = allocator.totalUsed();
        for (int id = 1; id < 10; id++)
        {
            run.submit(id, prompt(2 * BLOCK + 5), 40);
        }
        run.planner.schedule();
        assertEquals(10, allocator.refCount(first.block(0)));
        assertEquals(10, allocator.refCount(first.block(1)));
        assertEquals(usedByOne + 9, allocator.totalUsed(), "each takes a block for its last 5 tokens and no other");
    }

    @Test
    void shouldShareUpToTheBlockThatDiffers()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        final int[] prompt = prompt(3 * BLOCK);
        final PagedRequest first = run.submit(0, prompt, 8);
        run.step();
        final PagedRequest second = run.submit(1, with(prompt, 2 * BLOCK, 999), 8);
        run.planner.schedule();
        assertArrayEquals(firstBlocks(first, 2), firstBlocks(second, 2));
        assertFalse(first.block(2) == second.block(2));
    }

    /** Blocks X Y Z against X W Z: the last one follows on another prefix, so that it has another hash. */
    @Test
    void shouldNotShareBehindABrokenChain()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        final int[] prompt = prompt(3 * BLOCK);
        final PagedRequest first = run.submit(0, prompt, 8);
        run.step();
        final PagedRequest second = run.submit(1, with(prompt, BLOCK, 999), 8);
        run.planner.schedule();
        assertEquals(first.block(0), second.block(0));
        assertEquals(1, run.planner.allocator().refCount(first.block(2)));
        assertFalse(first.block(2) == second.block(2));
    }

    @Test
    void shouldComputeOnlyWhatIsNotCached()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        run.submit(0, prompt(4 * BLOCK + 5), 20);
        assertArrayEquals(new int[]{133}, queries(run.planner.schedule()));
        run.complete(0);
        run.submit(1, prompt(4 * BLOCK + 5), 20);
        assertArrayEquals(new int[]{1, 5}, queries(run.planner.schedule()));
    }

    @Test
    void shouldComputeTheBlocksBehindAPartialMatch()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        final int[] prompt = prompt(4 * BLOCK);
        run.submit(0, prompt, 20);
        run.step();
        run.submit(1, with(prompt, 3 * BLOCK, 999), 20);
        assertArrayEquals(new int[]{1, 32}, queries(run.planner.schedule()));
        assertEquals(3 * BLOCK, run.planner.layout().kvOffset(1));
    }

    @Test
    void shouldComputeFiveTokensOfEachOfFiveDuplicates()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        final PagedRequest first = run.submit(0, prompt(3 * BLOCK + 5), 20);
        run.step();
        for (int id = 1; id <= 5; id++)
        {
            run.submit(id, prompt(3 * BLOCK + 5), 20);
        }
        assertArrayEquals(new int[]{1, 5, 5, 5, 5, 5}, queries(run.planner.schedule()));
        assertEquals(6, run.planner.allocator().refCount(first.block(0)));
    }

    @Test
    void shouldComputeAllOfAPromptThatIsNotCached()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        run.submit(0, prompt(4 * BLOCK), 20);
        run.step();
        run.submit(1, with(prompt(4 * BLOCK), 0, 999), 20);
        assertArrayEquals(new int[]{1, 128}, queries(run.planner.schedule()));
    }

    /** All blocks are shared, yet the whole last one is computed again: a chunk of one token would be a decode step. */
    @Test
    void shouldShareEveryBlockOfAFullMatchAndComputeTheLastAgain()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        final PagedRequest first = run.submit(0, prompt(2 * BLOCK), 8);
        run.step();
        final PagedRequest second = run.submit(1, prompt(2 * BLOCK), 8);
        run.planner.schedule();
        assertArrayEquals(firstBlocks(first, 2), firstBlocks(second, 2));
        assertEquals(BLOCK, run.planner.layout().queryTokens(1));
        assertEquals(2 * BLOCK, second.cachedTokens());
    }

    @Test
    void shouldMatchUpToAnExactBlockBoundary()
    {
        final KvBlockConfig blocks = KvBlockConfig.of(16).withPrefixCaching(EvictionPolicy.LRU);
        final PlannerRun run = new PlannerRun(new PagingConfig(blocks, 16, 4, 256, 0, false));
        run.submit(0, prompt(32), 5);
        run.step();
        final PagedRequest second = run.submit(1, prompt(35), 5);
        run.planner.schedule();
        assertEquals(3, second.blockCount());
        assertEquals(3, run.planner.layout().queryTokens(1));
        assertEquals(2, second.lastOffset());
    }

    @Test
    void shouldTakeNothingFromAnEmptyPoolWhereEverythingIsMatched()
    {
        final PlannerRun run = run(EvictionPolicy.LRU, 5, 4096, false);
        final PagedRequest first = run.submit(0, prompt(2 * BLOCK + 5), 2);
        run.submit(1, with(prompt(20), 0, 999), 2);
        run.planner.schedule();
        assertEquals(0, run.planner.allocator().totalAvailable());
        run.complete(0);
        run.submit(2, prompt(2 * BLOCK), 1);
        run.planner.schedule();
        assertEquals(3, run.planner.layout().activeRows());
        assertEquals(2, run.planner.allocator().refCount(first.block(1)));
    }

    @Test
    void shouldKeepReleasedBlocksInTheCacheUnderLru()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        final PagedRequest first = run.submit(0, prompt(2 * BLOCK + 1), 4);
        run.step();
        run.submit(1, prompt(2 * BLOCK + 1), 2);
        run.step();
        final int[] shared = firstBlocks(first, 2);
        final KvBlockPool allocator = run.planner.allocator();
        assertEquals(2, allocator.refCount(shared[0]));
        run.step();
        assertEquals(1, allocator.refCount(shared[0]));
        run.step();
        assertEquals(0, allocator.refCount(shared[0]));
        assertEquals(shared[0], allocator.find(run.hashes(prompt(BLOCK))[0]));
        final PagedRequest later = run.submit(2, prompt(2 * BLOCK + 1), 2);
        run.planner.schedule();
        assertArrayEquals(shared, firstBlocks(later, 2));
    }

    @Test
    void shouldForgetBlocksWithTheirLastOwnerUnderRefZero()
    {
        final PlannerRun run = run(EvictionPolicy.REF_ZERO);
        run.submit(0, prompt(2 * BLOCK), 1);
        final int before = run.planner.allocator().totalAvailable();
        run.planner.schedule();
        assertEquals(before - 2, run.planner.allocator().totalAvailable());
        run.complete(0);
        assertEquals(before, run.planner.allocator().totalAvailable());
        assertEquals(KvBlockAllocator.NO_BLOCK, run.planner.allocator().find(run.hashes(prompt(BLOCK))[0]));
    }

    /** The pool is full of cached blocks; the two that match must not be what makes room for the third. */
    @Test
    void shouldNotEvictWhatItHasJustMatched()
    {
        final PlannerRun run = run(EvictionPolicy.LRU, 6, 4096, false);
        run.submit(0, prompt(2 * BLOCK), 1);
        run.step();
        run.submit(1, with(prompt(3 * BLOCK), 0, 999), 1);
        run.step();
        final KvBlockPool allocator = run.planner.allocator();
        assertEquals(0, allocator.totalAvailable());
        final long[] hashes = run.hashes(prompt(2 * BLOCK));
        final int[] cached = {allocator.find(hashes[0]), allocator.find(hashes[1])};
        final PagedRequest partial = run.submit(2, prompt(3 * BLOCK), 2);
        run.planner.schedule();
        assertArrayEquals(cached, firstBlocks(partial, 2));
        assertEquals(3, Arrays.stream(firstBlocks(partial, 3)).distinct().count());
    }

    /** Four blocks of which three are matched and unowned: they cannot be evicted for the two more that are needed. */
    @Test
    void shouldNotCountUnownedMatchesAsRoom()
    {
        final PlannerRun run = run(EvictionPolicy.LRU, 5, 4096, false);
        run.submit(0, prompt(3 * BLOCK), 1);
        run.step();
        run.submit(1, with(prompt(BLOCK), 0, 999), 3);
        run.step();
        final PagedRequest fourth = run.submit(2, prompt(4 * BLOCK), 1);
        run.planner.schedule();
        assertEquals(1, run.planner.layout().activeRows(), "of four blocks one is owned and three would be matched");
        assertEquals(0, fourth.blockCount());
        assertEquals(1, run.planner.waitingCount());
    }

    @Test
    void shouldPutARequestAsideWhileItsPrefixIsComputedAndLetAnotherOneOvertake()
    {
        final PlannerRun run = run(EvictionPolicy.LRU);
        run.submit(0, prompt(2 * BLOCK), 8);
        run.submit(1, prompt(2 * BLOCK), 8);
        run.submit(2, with(prompt(2 * BLOCK), 0, 999), 8);
        final StepLayout layout = run.planner.schedule();
        assertEquals(1, run.planner.coordinationWaits());
        assertArrayEquals(new long[]{1}, run.planner.waitingIds());
        assertEquals(2, layout.request(1).id());
        run.complete(0);
        run.planner.schedule();
        assertEquals(1, run.planner.coordinationWaits());
        assertEquals(0, run.planner.waitingCount());
        assertEquals(BLOCK, layout.queryTokens(2));
    }

    @Test
    void shouldEndThePassWithTheFirstOnePutAsideWherePromptsComeInChunks()
    {
        final PlannerRun run = run(EvictionPolicy.LRU, 64, 4096, true);
        run.submit(0, prompt(2 * BLOCK), 8);
        run.submit(1, prompt(2 * BLOCK), 8);
        run.submit(2, with(prompt(2 * BLOCK), 0, 999), 8);
        final StepLayout layout = run.planner.schedule();
        assertEquals(1, run.planner.coordinationWaits());
        assertArrayEquals(new long[]{1, 2}, run.planner.waitingIds());
        run.complete(0);
        run.planner.schedule();
        assertEquals(3, layout.activeRows());
    }

    @Test
    void shouldShareAPromptThatWasComputedInChunks()
    {
        final PlannerRun run = run(EvictionPolicy.LRU, 64, 64, true);
        final PagedRequest first = run.submit(0, prompt(4 * BLOCK), 8);
        assertArrayEquals(new int[]{64}, queries(run.planner.schedule()));
        assertEquals(first, run.planner.rows().chunkedPrefill());
        run.complete(0);
        assertTrue(run.planner.rows().isChunkedPrefillHidden());
        assertArrayEquals(new int[]{64}, queries(run.planner.schedule()));
        run.complete(0);
        final PagedRequest second = run.submit(1, prompt(4 * BLOCK), 8);
        run.planner.schedule();
        assertArrayEquals(firstBlocks(first, 4), firstBlocks(second, 4));
        for (int i = 0; i < 4; i++)
        {
            assertEquals(2, run.planner.allocator().refCount(first.block(i)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEvictNoBlockThatIsOwned(final EvictionPolicy policy)
    {
        final PlannerRun run = run(policy, 4, 4096, false);
        final PagedRequest first = run.submit(0, prompt(2 * BLOCK), 3);
        run.step();
        final int[] owned = firstBlocks(first, 2);
        run.submit(1, with(prompt(2 * BLOCK), 0, 999), 1);
        run.planner.schedule();
        assertEquals(1, run.planner.waitingCount());
        assertArrayEquals(owned, firstBlocks(first, 2));
        assertEquals(1, run.planner.allocator().refCount(owned[1]));
    }

    @Test
    void shouldShareNothingWithoutPrefixCaching()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(64), BLOCK, 16, 4096, 0, false));
        run.submit(0, prompt(2 * BLOCK), 8);
        run.submit(1, prompt(2 * BLOCK), 8);
        assertArrayEquals(new int[]{64, 64}, queries(run.planner.schedule()));
        assertEquals(0, run.planner.coordinationWaits());
    }
}
