// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.saved.SavedFields;
import org.agrona.collections.Long2LongHashMap;

import java.util.Arrays;

/**
 * Blocks that chunks in flight complete, by the hash that their {@code Commit} will register. A later step of the rank may
 * share them before that: the device runs the steps of a rank in order. The map serves only look-ups by key.
 */
final class PendingBlocks
{
    private static final int NONE = -1;

    private final Long2LongHashMap places = new Long2LongHashMap(NONE);
    private long[] hashes = new long[16];
    private long[] steps = new long[16];
    private int[] blocks = new int[16];
    private int[] depths = new int[16];
    private int[] parents = new int[16];
    private int[] unused = new int[16];
    private int unusedCount;
    private int used;
    private long digest;

    boolean contains(final long hash)
    {
        return places.get(hash) != NONE;
    }

    /**
     * @param depth  blocks ahead of it in its prompt.
     * @param parent the block before it in the table of its request; {@link KvBlockAllocator#NO_BLOCK} for a first block.
     * @param step   the step that completes it.
     */
    void add(final long hash, final int block, final int depth, final int parent, final long step)
    {
        final int place = unusedCount > 0 ? unused[--unusedCount] : used++;
        if (place == steps.length)
        {
            hashes = Arrays.copyOf(hashes, 2 * place);
            steps = Arrays.copyOf(steps, 2 * place);
            blocks = Arrays.copyOf(blocks, 2 * place);
            depths = Arrays.copyOf(depths, 2 * place);
            parents = Arrays.copyOf(parents, 2 * place);
            unused = Arrays.copyOf(unused, 2 * place);
        }
        hashes[place] = hash;
        steps[place] = step;
        blocks[place] = block;
        depths[place] = depth;
        parents[place] = parent;
        places.put(hash, place);
        digest += term(hash, place);
    }

    /**
     * Extends a match by blocks that steps before {@code endStep} complete.
     *
     * @param matched blocks of the table that are matched already.
     * @param limit   most blocks to match.
     * @return the number of matched blocks.
     */
    int match(final long[] hashes, final int matched, final int limit, final int[] blockTable, final long endStep)
    {
        int count = matched;
        int block = matched == 0 ? KvBlockAllocator.NO_BLOCK : blockTable[matched - 1];
        while (count < limit)
        {
            final int place = (int)places.get(hashes[count]);
            if (place == NONE || steps[place] >= endStep || depths[place] != count || parents[place] != block)
            {
                break;
            }
            block = blocks[place];
            blockTable[count++] = block;
        }
        return count;
    }

    /** The step has landed, or never will: none of its blocks is pending. */
    void ended(final StepPlan plan)
    {
        for (int i = 0; i < plan.pendingCount(); i++)
        {
            final long hash = plan.pendingHash(i);
            final int place = (int)places.get(hash);
            // After a cache reset a later step may complete another block of the same hash.
            if (place != NONE && steps[place] == plan.step())
            {
                digest -= term(hash, place);
                places.remove(hash);
                unused[unusedCount++] = place;
            }
        }
    }

    void clear()
    {
        places.clear();
        unusedCount = 0;
        used = 0;
        digest = 0;
    }

    void save(final SavedFields fields)
    {
        final int count = fields.count(used - unusedCount);
        for (int i = 0, place = 0; i < count; i++, place++)
        {
            while (!fields.isReading() && places.get(hashes[place]) != place)
            {
                place++;
            }
            final boolean isThere = place < used;
            final long hash = fields.number(isThere ? hashes[place] : 0);
            final int block = fields.int32(isThere ? blocks[place] : 0);
            final int depth = fields.int32(isThere ? depths[place] : 0);
            final int parent = fields.int32(isThere ? parents[place] : 0);
            final long step = fields.number(isThere ? steps[place] : 0);
            if (fields.isReading())
            {
                add(hash, block, depth, parent, step);
            }
        }
    }

    /** Sum over all pending blocks. */
    long digest()
    {
        return digest;
    }

    private long term(final long hash, final int place)
    {
        return StateDigest.mix(hash, steps[place], (long)blocks[place] << Integer.SIZE | depths[place]);
    }
}
