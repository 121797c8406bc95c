// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.conformance.megatron.MegatronFailure.Kind;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.KvBlockListener;

import java.util.Arrays;
import java.util.Objects;

/**
 * The routed experts of each KV block as Megatron Core keeps them: slow and obvious, made to be compared with what was
 * recorded of it. Ids are not checked, the last write of a row wins, and a row that was never stored reads as expert 0.
 * {@link io.signalbox.experts.BlockPages} differs in these three points only.
 */
public final class MegatronRouting implements KvBlockListener
{
    private final ModelShape shape;
    private final int blockSizeTokens;
    /** Per block and position the ids of a row; null if it was not stored. */
    private final int[][][] rowsOfBlock;

    /** @param blockCount blocks of the pool; the last one is the dummy block. */
    public MegatronRouting(final ModelShape shape, final int blockCount, final int blockSizeTokens)
    {
        this.shape = shape;
        this.blockSizeTokens = blockSizeTokens;
        rowsOfBlock = new int[blockCount][][];
    }

    @Override
    public void onHandedOut(final int[] blockIds, final int offset, final int count)
    {
        for (int i = offset; i < offset + count; i++)
        {
            rowsOfBlock[blockIds[i]] = null;
        }
    }

    @Override
    public void onReset()
    {
        Arrays.fill(rowsOfBlock, null);
    }

    /** Rows of the block by position, shared with the caller; null if none was stored since it was handed out. */
    int[][] rows(final int blockId)
    {
        return rowsOfBlock[blockId];
    }

    /** The block's rows are these from now on. */
    void rows(final int blockId, final int[][] rows)
    {
        rowsOfBlock[blockId] = rows;
    }

    /** Stores the rows of one step; tokens of the dummy block are dropped. */
    public void storeStep(final int[] blockIds, final int[] positions, final int[][] rows)
    {
        if (rows == null || blockIds.length == 0)
        {
            return;
        }
        if (rows.length != blockIds.length)
        {
            throw new MegatronFailure(Kind.ASSERTION, rows.length + " rows came for " + blockIds.length + " tokens");
        }
        for (int i = 0; i < rows.length; i++)
        {
            if (blockIds[i] != rowsOfBlock.length - 1)
            {
                store(blockIds[i], positions[i], rows[i]);
            }
        }
    }

    /** Stores rows of one block. */
    public void storeBlock(final int blockId, final int[] positions, final int[][] rows)
    {
        for (int i = 0; i < positions.length; i++)
        {
            store(blockId, positions[i], rows[i]);
        }
    }

    private void store(final int blockId, final int position, final int[] row)
    {
        if (rowsOfBlock[blockId] == null)
        {
            rowsOfBlock[blockId] = new int[blockSizeTokens][];
        }
        rowsOfBlock[blockId][position] = row;
    }

    /** Ids of all rows of the block, or null if it has none. */
    public int[] blockRouting(final int blockId)
    {
        return hasRouting(blockId) ? flat(new int[]{blockId}, blockSizeTokens) : null;
    }

    private boolean hasRouting(final int blockId)
    {
        return rowsOfBlock[blockId] != null && Arrays.stream(rowsOfBlock[blockId]).anyMatch(Objects::nonNull);
    }

    /** Blocks that have routing. */
    public int routingCount()
    {
        int count = 0;
        for (int blockId = 0; blockId < rowsOfBlock.length; blockId++)
        {
            count += hasRouting(blockId) ? 1 : 0;
        }
        return count;
    }

    /**
     * Ids of the first {@code total} rows of the blocks, or null. The walk over the list looks a block up before it
     * notices that it has enough, so that a block without routing ends it with nothing even if no row of it is needed.
     */
    public int[] reconstruct(final int[] blockIds, final int total)
    {
        int collected = 0;
        for (final int blockId : blockIds)
        {
            if (!hasRouting(blockId))
            {
                return null;
            }
            if (collected == total)
            {
                break;
            }
            collected += Math.min(blockSizeTokens, total - collected);
        }
        return collected == 0 || collected < total ? null : flat(blockIds, total);
    }

    private int[] flat(final int[] blockIds, final int total)
    {
        final int[] ids = new int[total * shape.rowIds()];
        for (int i = 0; i < total; i++)
        {
            final int[] row = rowsOfBlock[blockIds[i / blockSizeTokens]][i % blockSizeTokens];
            if (row != null)
            {
                System.arraycopy(row, 0, ids, i * shape.rowIds(), shape.rowIds());
            }
        }
        return ids;
    }
}
