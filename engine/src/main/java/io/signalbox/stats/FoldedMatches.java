// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.RankPrefixIndex;
import io.signalbox.scheduler.CachedPrefixes;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Folds the events of a run into the prefix indexes of its ranks, and matches prompts with them. A router that reads no
 * matches records none; the fold gives the tokens that it could have read. The caller passes the events on in their order.
 * Internal to the modules that read recorded runs.
 *
 * <p>If the router reads matches, the first placement ends the fold: the events have the matches.
 *
 * <p>The blocks that decoding has filled count for later prompts, and not for the request itself if it is placed again.
 */
public final class FoldedMatches
{
    /** The number of tokens that is given for a match that is not known. */
    public static final int NOT_RECORDED = -1;

    private final int ranks;
    private final int blockSizeTokens;
    /** Hashes of the full blocks that a match may use, of the requests that are alive. */
    private final Long2ObjectHashMap<long[]> prompts = new Long2ObjectHashMap<>();
    private final int[] matchedBlocks;
    private RankPrefixIndex index;
    private boolean isOver;
    private long[] submitted;

    private FoldedMatches(final int ranks, final int blockSizeTokens, final boolean isKnown)
    {
        this.ranks = ranks;
        this.blockSizeTokens = blockSizeTokens;
        matchedBlocks = new int[ranks];
        index = new RankPrefixIndex(ranks);
        isOver = !isKnown;
    }

    /**
     * For the events of a run from its beginning.
     *
     * @param policy events say when a block is evicted; with {@link EvictionPolicy#REF_ZERO} they do not say when it is
     *               forgotten, and no match is known.
     */
    public static FoldedMatches of(final int ranks, final int blockSizeTokens, final EvictionPolicy policy)
    {
        return new FoldedMatches(ranks, blockSizeTokens, policy == EvictionPolicy.LRU);
    }

    /** If the events do not begin with the run: no match is known. */
    public static FoldedMatches none()
    {
        return new FoldedMatches(1, 1, false);
    }

    /** Adds the blocks that ranks have cached before the first event. */
    public FoldedMatches cached(final CachedPrefixes prefixes, final int blocksPerRank)
    {
        for (int rank = 0; rank < ranks && !isOver; rank++)
        {
            for (final CachedPrefixes.Block block : prefixes.kept(rank, ranks, blocksPerRank))
            {
                add(block.hash(), rank);
            }
        }
        return this;
    }

    private void add(final long hash, final int rank)
    {
        if (hash != KvBlockAllocator.NO_HASH && !index.contains(hash, rank))
        {
            index.add(hash, rank);
        }
    }

    /** @param submit its variable-length fields are not read yet; they are not read afterwards either. */
    public void onSubmit(final SubmitDecoder submit)
    {
        if (isOver)
        {
            return;
        }
        final int hashesAt = submit.limit() + SubmitDecoder.blockHashesHeaderLength();
        final int hashes = submit.blockHashesLength() / Long.BYTES;
        submitted = new long[Math.min(hashes, Math.max(0, submit.promptTokens() - 1) / blockSizeTokens)];
        for (int i = 0; i < submitted.length; i++)
        {
            submitted[i] = submit.buffer().getLong(hashesAt + i * Long.BYTES);
        }
    }

    public void onAccepted(final long requestId)
    {
        if (!isOver)
        {
            prompts.put(requestId, submitted);
        }
    }

    /** Call before {@link #tokens} is asked for the placement. */
    public void onPlaced(final PlacedDecoder decision)
    {
        if (decision.matchesRead() == Flag.YES && !isOver)
        {
            isOver = true;
            prompts.clear();
            index = null;
        }
    }

    public void onSchedule(final StepView plan)
    {
        for (int i = 0; i < plan.evictedCount() && !isOver; i++)
        {
            if (index.contains(plan.evictedHash(i), plan.rank()))
            {
                index.remove(plan.evictedHash(i), plan.rank());
            }
        }
    }

    public void onCommit(final CommitView commit)
    {
        if (isOver)
        {
            return;
        }
        for (int i = 0; i < commit.registeredCount(); i++)
        {
            add(commit.registeredHash(i), commit.rank());
        }
        for (int i = 0; i < commit.partlyFilledCount(); i++)
        {
            add(commit.partlyFilledHash(i), commit.rank());
        }
    }

    public void onControl(final ControlDecoder control)
    {
        if (control.kind() == ControlKind.CACHE_RESET)
        {
            forgetAll();
        }
    }

    /** No block of the former weights is found any more. */
    public void onNewWeights()
    {
        forgetAll();
    }

    private void forgetAll()
    {
        index = isOver ? null : new RankPrefixIndex(ranks);
    }

    public void onBackendReset(final BackendResetDecoder reset)
    {
        for (int rank = 0; rank < ranks && !isOver && reset.kvMemoryKept() != Flag.YES; rank++)
        {
            if (reset.rank() < 0 || reset.rank() == rank)
            {
                index.removeAll(rank);
            }
        }
    }

    public void onFree(final long requestId)
    {
        prompts.remove(requestId);
    }

    /**
     * Prompt tokens of the request that each rank has cached now.
     *
     * @return by rank; {@code null} if they are not known. The array changes with the next call.
     */
    public int[] tokens(final long requestId)
    {
        final long[] hashes = isOver ? null : prompts.get(requestId);
        if (hashes == null)
        {
            return null;
        }
        index.longestMatches(hashes, hashes.length, matchedBlocks);
        for (int rank = 0; rank < ranks; rank++)
        {
            matchedBlocks[rank] *= blockSizeTokens;
        }
        return matchedBlocks;
    }

    /**
     * The match of a candidate: as recorded if the router reads matches.
     *
     * @param folded {@link #tokens} of the request.
     */
    public static int of(
        final PlacedDecoder decision, final PlacedDecoder.CandidatesDecoder candidate, final int[] folded)
    {
        return decision.matchesRead() == Flag.YES ? candidate.matchedTokens() :
            folded == null ? NOT_RECORDED : folded[candidate.rank()];
    }
}
