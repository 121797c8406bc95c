// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.DecoderPlan;

/**
 * Keys and values of one rank, in blocks: per layer and block, {@code [position in the block][kv head][element]}. A block
 * gets its memory when it is first written. Written between stages by one thread, read by all.
 */
public final class PagedKv
{
    private final int blockSize;
    private final int keyWidth;
    private final int valueWidth;
    private final float[][][] keys;
    private final float[][][] values;

    /**
     * @param blocks          ids are below it.
     * @param blockSizeTokens positions of a block.
     */
    public PagedKv(final DecoderPlan plan, final int blocks, final int blockSizeTokens)
    {
        blockSize = blockSizeTokens;
        keyWidth = plan.attention().keyWidth();
        valueWidth = plan.attention().valueWidth();
        Math.multiplyExact(blockSize, Math.max(keyWidth, valueWidth));
        keys = new float[plan.layers()][blocks][];
        values = new float[plan.layers()][blocks][];
    }

    int blockSize()
    {
        return blockSize;
    }

    /** Gives a block its memory in all layers; before tasks write it. */
    void touch(final int block)
    {
        // From the last layer down: without memory the loop ends early, and the next touch continues it.
        for (int layer = keys.length - 1; layer >= 0 && values[0][block] == null; layer--)
        {
            keys[layer][block] = keys[layer][block] == null ? new float[blockSize * keyWidth] : keys[layer][block];
            values[layer][block] = values[layer][block] == null ? new float[blockSize * valueWidth] : values[layer][block];
        }
    }

    void write(
        final int layer, final int block, final int position, final float[] key, final int k, final float[] value,
        final int v)
    {
        final int slot = position % blockSize;
        System.arraycopy(key, k, keys[layer][block], slot * keyWidth, keyWidth);
        System.arraycopy(value, v, values[layer][block], slot * valueWidth, valueWidth);
    }

    float[] keys(final int layer, final int block)
    {
        return keys[layer][block];
    }

    float[] values(final int layer, final int block)
    {
        return values[layer][block];
    }
}
