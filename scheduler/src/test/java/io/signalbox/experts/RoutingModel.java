// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A simple model of routed experts: every row ever written, by block, use of the block and position. A use ends when the
 * block is allocated again or on a reset. The model has no pages.
 */
final class RoutingModel
{
    record Place(int blockId, int use, int position)
    {
    }

    final int[] uses;
    private final int blockSize;
    private final Map<Place, int[]> rows = new HashMap<>();
    /** Uses of blocks that are shared, as places of position -1. */
    private final Set<Place> shared = new HashSet<>();

    RoutingModel(final int blockCount, final int blockSize)
    {
        uses = new int[blockCount];
        this.blockSize = blockSize;
    }

    void handOut(final int blockId)
    {
        uses[blockId]++;
    }

    void reset()
    {
        for (int blockId = 0; blockId < uses.length; blockId++)
        {
            uses[blockId]++;
        }
    }

    /** Rows that the block lacks now stay missing. */
    void share(final int blockId)
    {
        shared.add(new Place(blockId, uses[blockId], -1));
    }

    /** Whether the row was stored. */
    boolean store(final int blockId, final int position, final int[] row)
    {
        final Place place = new Place(blockId, uses[blockId], position);
        if (rows.containsKey(place) || shared.contains(new Place(blockId, uses[blockId], -1)))
        {
            return false;
        }
        rows.put(place, row);
        return true;
    }

    /** The row, or null. */
    int[] row(final int blockId, final int use, final int position)
    {
        return rows.get(new Place(blockId, use, position));
    }

    boolean hasRouting(final int blockId)
    {
        return rows.keySet().stream().anyMatch(place -> place.blockId() == blockId && place.use() == uses[blockId]);
    }

    /** The rows of a list of blocks, null for a missing row; null as a whole if the reference reconstructs nothing. */
    List<int[]> strict(final int[] blockIds, final int total)
    {
        final List<int[]> collected = new ArrayList<>();
        for (final int blockId : blockIds)
        {
            if (!hasRouting(blockId))
            {
                return null;
            }
            if (collected.size() >= total)
            {
                break;
            }
            for (int position = 0; position < blockSize && collected.size() < total; position++)
            {
                collected.add(row(blockId, uses[blockId], position));
            }
        }
        return collected.isEmpty() || collected.size() < total ? null : collected;
    }

    List<int[]> lenient(final int[] blockIds, final int total)
    {
        final List<int[]> all = new ArrayList<>();
        for (int i = 0; i < total; i++)
        {
            final int index = i / blockSize;
            all.add(index < blockIds.length ? row(blockIds[index], uses[blockIds[index]], i % blockSize) : null);
        }
        return all;
    }
}
