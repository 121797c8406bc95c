// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.saved.SavedFields;
import io.signalbox.saved.UnfitImageException;

import java.util.Arrays;

/**
 * KV blocks of ended requests that steps in flight may still write. Each request's blocks keep the references of their
 * former owner until its <em>fence</em>, the newest step that computes tokens of it, has landed.
 */
final class RetiringBlocks
{
    private final KvBlockAllocator allocator;
    private int size;
    private long[] fences = new long[4];
    private int[] ends = new int[4];
    private int[] blocks = new int[64];

    RetiringBlocks(final KvBlockAllocator allocator)
    {
        this.allocator = allocator;
    }

    boolean isEmpty()
    {
        return size == 0;
    }

    /** The first {@code count} blocks of the table retire. */
    void add(final long fenceStep, final int[] blockTable, final int count)
    {
        if (size == fences.length)
        {
            fences = Arrays.copyOf(fences, 2 * size);
            ends = Arrays.copyOf(ends, 2 * size);
        }
        final int start = start(size);
        if (start + count > blocks.length)
        {
            blocks = Arrays.copyOf(blocks, Math.max(start + count, 2 * blocks.length));
        }
        System.arraycopy(blockTable, 0, blocks, start, count);
        fences[size] = fenceStep;
        ends[size++] = start + count;
    }

    private int start(final int index)
    {
        return index == 0 ? 0 : ends[index - 1];
    }

    /** A step has landed: blocks behind fences up to it are released, in the order in which they retired. */
    void landed(final long step)
    {
        int kept = 0;
        int keptBlocks = 0;
        int end = 0;
        for (int i = 0; i < size; i++)
        {
            final int start = end;
            end = ends[i];
            if (fences[i] <= step)
            {
                allocator.release(blocks, start, end - start);
                continue;
            }
            System.arraycopy(blocks, start, blocks, keptBlocks, end - start);
            keptBlocks += end - start;
            fences[kept] = fences[i];
            ends[kept++] = keptBlocks;
        }
        size = kept;
    }

    /**
     * Steps from {@code fromStep} on will never land: their fences fall back to an earlier step in flight.
     *
     * @param newestLeft the newest step still in flight; if there is none, any step that has landed.
     */
    void withdraw(final long fromStep, final long newestLeft)
    {
        if (newestLeft >= fromStep)
        {
            throw new InvariantViolation("step " + newestLeft + " is in flight although step " + fromStep +
                " and all later ones were withdrawn");
        }
        for (int i = 0; i < size; i++)
        {
            fences[i] = fences[i] >= fromStep ? newestLeft : fences[i];
        }
    }

    void save(final SavedFields fields)
    {
        size = fields.count(size);
        fences = fields.numbers(fences, size);
        ends = fields.int32s(ends, size);
        final int count = fields.count(start(size));
        if (count != start(size))
        {
            throw new UnfitImageException("it has " + count + " retiring blocks and not " + start(size));
        }
        blocks = fields.int32s(blocks, count);
    }

    /** Digest of fences and blocks, in order. */
    long digest()
    {
        long digest = size;
        for (int i = 0; i < size; i++)
        {
            digest = StateDigest.mix(digest, fences[i], ends[i]);
        }
        for (int i = 0; i < start(size); i++)
        {
            digest = StateDigest.mix(digest, blocks[i]);
        }
        return digest;
    }
}
