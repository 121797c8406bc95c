// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.batch.QueueOrder;
import io.signalbox.event.GroupReader;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.CachedPrefixes;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.BlockStates;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RunFold;
import io.signalbox.state.StateFold;
import io.signalbox.state.StateShape;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.List;

/** Folds the groups of a run up to a time, for the blocks that its ranks have cached then. */
final class RecordedCaches
{
    private final FoldedState state;
    private final RunFold fold;
    private final long untilNanos;
    private boolean hasEnded;

    /**
     * @param untilNanos the first group of this time, or of a later time, ends the fold. Inputs of several threads may have
     *                   times in another order than their records.
     * @param ahead      the state ahead of the first group, which changes; {@code null}: nothing is ahead of it.
     */
    RecordedCaches(final SchedulerConfig config, final long untilNanos, final FoldedState ahead)
    {
        this.untilNanos = untilNanos;
        state = ahead != null ? ahead : new FoldedState(shape(config));
        fold = RunFold.of(new StateFold(state)).behind(state);
    }

    private static StateShape shape(final SchedulerConfig config)
    {
        return new StateShape(config.ranks(), config.kvBlocks(), config.blockSizeTokens(),
            config.prefixCaching() && config.evictionPolicy() == EvictionPolicy.LRU,
            config.get(BatchSettings.QUEUE_ORDER) == QueueOrder.FIRST_COME, config.capture() != null);
    }

    void onGroup(final DirectBuffer group, final int length)
    {
        final long nanos = GroupReader.inputTimeNanos(group, 0, length);
        hasEnded |= nanos >= untilNanos;
        if (!hasEnded)
        {
            fold.onGroup(group, 0, length, nanos);
        }
    }

    /** Every block with a hash, blocks of running requests included. */
    CachedPrefixes prefixes()
    {
        final List<List<CachedPrefixes.Block>> ranks = new ArrayList<>();
        for (int rank = 0; rank < state.shape().ranks(); rank++)
        {
            ranks.add(prefixes(state.rank(rank).blocks()));
        }
        return new CachedPrefixes(ranks);
    }

    private static List<CachedPrefixes.Block> prefixes(final BlockStates blocks)
    {
        final List<CachedPrefixes.Block> found = new ArrayList<>();
        for (int block = 0; block < blocks.count(); block++)
        {
            if (blocks.hash(block) != BlockStates.NO_HASH)
            {
                final int parent = blocks.parent(block);
                found.add(new CachedPrefixes.Block(blocks.hash(block),
                    parent == BlockStates.NO_BLOCK ? KvBlockAllocator.NO_HASH : blocks.hash(parent),
                    blocks.depth(block), blocks.lastUse(block)));
            }
        }
        return found;
    }
}
