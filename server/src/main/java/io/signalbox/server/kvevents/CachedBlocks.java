// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Folds the events of a run into the blocks that prefix matches find, with their tokens, for a pool that keeps released
 * blocks cached. Blocks of a request whose prompt the events do not have, such as one that an earlier engine of the run
 * left, are not included.
 */
final class CachedBlocks extends EventReader
{
    private final int blockTokens;
    private final BlockHasher hasher;
    private final Long2ObjectHashMap<TokenSequence> live = new Long2ObjectHashMap<>();
    private final Rank[] ranks;
    private TokenSequence submitted;

    /** A block that a request fills: the request's tokens, and the place of the block in its table. */
    private record Filling(TokenSequence request, int place)
    {
    }

    /** The blocks of one rank, by block id. */
    private static final class Rank
    {
        private final Int2ObjectHashMap<CachedBlock> cached = new Int2ObjectHashMap<>();
        private final Int2ObjectHashMap<Filling> filling = new Int2ObjectHashMap<>();
        /** Changes of the group that is being read. */
        private List<KvEvent> changes = new ArrayList<>();

        private void stored(final CachedBlock block)
        {
            final KvEvent last = changes.isEmpty() ? null : changes.get(changes.size() - 1);
            if (last instanceof KvEvent.Stored run && run.blocks().get(run.blocks().size() - 1).hash() == block.parentHash())
            {
                run.blocks().add(block);
                return;
            }
            changes.add(new KvEvent.Stored(new ArrayList<>(List.of(block))));
        }

        private void removed(final long hash)
        {
            if (changes.isEmpty() || !(changes.get(changes.size() - 1) instanceof KvEvent.Removed))
            {
                changes.add(new KvEvent.Removed(new ArrayList<>()));
            }
            ((KvEvent.Removed)changes.get(changes.size() - 1)).hashes().add(hash);
        }

        private void cleared()
        {
            cached.clear();
            changes.add(new KvEvent.Cleared());
        }

        /** The request does not fill these blocks any more. */
        private void drop(final TokenSequence request, final int[] blocks)
        {
            for (final int block : blocks)
            {
                final Filling filled = filling.get(block);
                if (filled != null && filled.request == request)
                {
                    filling.remove(block);
                }
            }
        }
    }

    CachedBlocks(final SchedulerConfig config)
    {
        super(SubmitDecoder.TEMPLATE_ID, AcceptedDecoder.TEMPLATE_ID, ScheduleDecoder.TEMPLATE_ID, CommitDecoder.TEMPLATE_ID,
            FreeDecoder.TEMPLATE_ID, RequeuedDecoder.TEMPLATE_ID, ControlDecoder.TEMPLATE_ID, NewWeightsDecoder.TEMPLATE_ID,
            BackendResetDecoder.TEMPLATE_ID);
        blockTokens = config.blockSizeTokens();
        hasher = BlockHasher.of(config.blockHash(), blockTokens);
        ranks = new Rank[config.ranks()];
        Arrays.setAll(ranks, rank -> new Rank());
    }

    /** Applies the next group. {@link #takeChanges} has what it changed. */
    synchronized void apply(final DirectBuffer group, final int offset, final int length)
    {
        readGroup(group, offset, length);
        submitted = null;
    }

    /** The changes of a rank by the last group, in order; empty for most groups. */
    List<KvEvent> takeChanges(final int rank)
    {
        final List<KvEvent> changes = ranks[rank].changes;
        if (!changes.isEmpty())
        {
            ranks[rank].changes = new ArrayList<>();
        }
        return changes;
    }

    /** The blocks that a rank has now; for any thread. */
    synchronized List<CachedBlock> blocks(final int rank)
    {
        return new ArrayList<>(ranks[rank].cached.values());
    }

    @Override
    protected void onSubmit(final SubmitDecoder message)
    {
        submitted = TokenSequence.of(message);
    }

    @Override
    protected void onAccepted(final AcceptedDecoder message)
    {
        if (submitted != null)
        {
            live.put(message.requestId(), submitted);
        }
    }

    @Override
    protected void onSchedule(final StepView plan)
    {
        final Rank rank = ranks[plan.rank()];
        for (int i = 0; i < plan.evictedCount(); i++)
        {
            final CachedBlock block = rank.cached.remove(plan.evictedBlockId(i));
            if (block != null)
            {
                rank.removed(block.hash());
            }
        }
        for (int i = 0; i < plan.changeCount(); i++)
        {
            if (!plan.changeIsMatch(i))
            {
                fill(rank, plan, i);
            }
        }
    }

    private void fill(final Rank rank, final StepView plan, final int change)
    {
        final TokenSequence request = live.get(plan.changeRequestId(change));
        if (request == null)
        {
            rank.filling.remove(plan.changeBlockId(change));
        }
        else
        {
            rank.filling.put(plan.changeBlockId(change), new Filling(request, plan.changeIndex(change)));
        }
    }

    @Override
    protected void onCommit(final CommitView commit)
    {
        int token = 0;
        for (int entry = 0; entry < commit.entryCount(); entry++)
        {
            final int end = token + commit.emitted(entry);
            final TokenSequence request = token == end ? null : live.get(commit.requestId(entry));
            for (; token < end; token++)
            {
                if (request != null)
                {
                    request.add(commit.token(token));
                }
            }
        }
        final Rank rank = ranks[commit.rank()];
        for (int i = 0; i < commit.registeredCount(); i++)
        {
            register(rank, commit.registeredBlockId(i), commit.registeredHash(i));
        }
    }

    private void register(final Rank rank, final int blockId, final long hash)
    {
        final Filling filled = rank.filling.remove(blockId);
        final CachedBlock block = filled == null ? null : filled.request.block(filled.place, hash, hasher, blockTokens);
        if (block != null)
        {
            rank.cached.put(blockId, block);
            rank.stored(block);
        }
    }

    /** Steps of its former run that are in flight register nothing. */
    @Override
    protected void onRequeued(final RequeuedDecoder message)
    {
        final RequeuedDecoder.ReleasedDecoder released = message.released();
        final int[] blocks = new int[released.count()];
        Arrays.setAll(blocks, i -> released.next().blockId());
        ranks[message.rank()].drop(live.get(message.requestId()), blocks);
    }

    /** The same. */
    @Override
    protected void onFree(final FreeDecoder message)
    {
        final TokenSequence request = live.remove(message.requestId());
        final FreeDecoder.ReleasedDecoder released = message.released();
        final int[] blocks = new int[released.count()];
        Arrays.setAll(blocks, i -> released.next().blockId());
        if (message.rank() >= 0)
        {
            ranks[message.rank()].drop(request, blocks);
        }
    }

    @Override
    protected void onControl(final ControlDecoder message)
    {
        if (message.kind() == ControlKind.CACHE_RESET)
        {
            clearAll();
        }
    }

    /** Blocks of the former weights are not found any more. */
    @Override
    protected void onNewWeights(final NewWeightsDecoder message)
    {
        clearAll();
    }

    private void clearAll()
    {
        for (final Rank rank : ranks)
        {
            rank.cleared();
        }
    }

    @Override
    protected void onBackendReset(final BackendResetDecoder message)
    {
        for (int rank = 0; rank < ranks.length && message.kvMemoryKept() != Flag.YES; rank++)
        {
            if (message.rank() < 0 || message.rank() == rank)
            {
                ranks[rank].cleared();
            }
        }
    }
}
