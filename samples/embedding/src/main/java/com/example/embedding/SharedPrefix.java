// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.experts.BlockPages;
import io.signalbox.experts.CapturedRows;
import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.kv.hash.BlockHasher;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;

/** The KV blocks and routed experts of one rank without an engine: prompts with a common prefix share both. */
public final class SharedPrefix
{
    private static final int BLOCK_SIZE = 4;
    /** The last block of the pool is the dummy block, which is never handed out. */
    private static final int POOL_SIZE = 8 + 1;
    private static final ModelShape MODEL = new ModelShape(2, 8, 2);

    private final BlockHasher hasher = BlockHasher.of(BlockHashFunction.SHA_256, BLOCK_SIZE);
    private final BlockPages experts = new BlockPages(new RoutedExpertPages(MODEL, BLOCK_SIZE), POOL_SIZE);
    /** It tells the pages when a block gets another owner, so that the rows of the former one are detached. */
    private final KvBlockAllocator blocks =
        new KvBlockAllocator(KvBlockConfig.of(POOL_SIZE).withPrefixCaching(EvictionPolicy.LRU), experts);

    public static void main(final String[] args)
    {
        final SharedPrefix rank = new SharedPrefix();
        final int[] first = rank.admit("first", prompt(8, 4, 100));
        final int[] second = rank.admit("second", prompt(8, 4, 200));
        rank.blocks.release(first, 0, first.length);
        rank.blocks.release(second, 0, second.length);
        System.out.println(
            "released: " + rank.blocks.owned() + " blocks owned, " + rank.blocks.evictableCount() + " cached");
        rank.admit("third", prompt(0, 24, 300));
        rank.printCached(prompt(8, 4, 100));
    }

    private static int[] prompt(final int common, final int own, final int firstOwn)
    {
        final int[] tokens = new int[common + own];
        Arrays.setAll(tokens, i -> i < common ? i : firstOwn + i - common);
        return tokens;
    }

    private long[] hashes(final int[] tokens)
    {
        final long[] hashes = new long[tokens.length / BLOCK_SIZE];
        hasher.hash(tokens, tokens.length, new byte[0], hashes);
        return hashes;
    }

    /** Takes the cached blocks of a prompt and new ones for the rest, which is computed. */
    private int[] admit(final String name, final int[] tokens)
    {
        final long[] hashes = hashes(tokens);
        final int[] ids = new int[hashes.length];
        final int matched = blocks.longestMatch(hashes, 0, hashes.length, ids, 0);
        blocks.tick();
        blocks.retain(ids, 0, matched);
        if (!blocks.allocate(ids.length - matched, ids, matched))
        {
            throw new IllegalStateException("the pool is too small");
        }
        final int rows = store(ids, tokens, matched * BLOCK_SIZE);
        final long[] parents = new long[hashes.length];
        System.arraycopy(hashes, 0, parents, 1, hashes.length - 1);
        blocks.registerBlockHashes(Arrays.copyOfRange(ids, matched, ids.length),
            Arrays.copyOfRange(hashes, matched, hashes.length), Arrays.copyOfRange(parents, matched, hashes.length));
        System.out.println(
            name + ": blocks " + Arrays.toString(ids) + ", " + matched + " shared, " + rows + " rows stored");
        return ids;
    }

    /** Stores what a forward pass captured of the tokens from a position on, {@code [token][MoE layer][k]}. */
    private int store(final int[] ids, final int[] tokens, final int from)
    {
        final int count = tokens.length - from;
        final int[] blockIds = new int[count];
        final int[] positions = new int[count];
        final UnsafeBuffer captured = new UnsafeBuffer(new byte[count * MODEL.rowIds() * Short.BYTES]);
        for (int i = 0; i < count; i++)
        {
            blockIds[i] = ids[(from + i) / BLOCK_SIZE];
            positions[i] = (from + i) % BLOCK_SIZE;
            for (int id = 0; id < MODEL.rowIds(); id++)
            {
                captured.putShort(
                    (i * MODEL.rowIds() + id) * Short.BYTES, (short)((tokens[from + i] + id) % MODEL.experts()));
            }
        }
        return experts.storeRoutingPerBlock(
            blockIds, positions, count, new CapturedRows().wrap(captured, 0, count, ExpertIdType.INT16));
    }

    private void printCached(final int[] tokens)
    {
        final int[] ids = new int[tokens.length / BLOCK_SIZE];
        final int matched = blocks.longestMatch(hashes(tokens), 0, ids.length, ids, 0);
        final int rows = matched * BLOCK_SIZE;
        final int rowBytes = MODEL.rowIds() * Short.BYTES;
        final UnsafeBuffer destination = new UnsafeBuffer(new byte[rows * rowBytes]);
        if (!experts.reconstructRoutingFromBlocks(ids, matched, rows, ExpertIdType.INT16, destination, 0))
        {
            throw new IllegalStateException("a cached block has no rows");
        }
        final int[] token5 = new int[MODEL.rowIds()];
        Arrays.setAll(token5, id -> destination.getShort(5 * rowBytes + id * Short.BYTES));
        System.out.println("first prompt: " + matched + " of " + ids.length + " blocks cached, experts of token 5: " +
            Arrays.toString(token5));
    }
}
