// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;

import java.util.Arrays;

/**
 * Folds the events of a run into the prefix indexes of its ranks, and matches prompts with them. If a router does not read
 * matches, its events have none; the fold gives the matches that it could have read. In a {@link RunFold} it is ahead of the
 * listeners that ask it. Internal to the modules that read recorded runs.
 *
 * <p>If the router reads matches, the first placement ends the fold: the events have the matches.
 *
 * <p>Blocks that decoding filled count for later prompts, but not for the request itself if it is placed again.
 */
public final class FoldedMatches implements RunListener
{
    /** The number of tokens for an unknown match. */
    public static final int NOT_RECORDED = -1;

    private final int ranks;
    private final int blockSizeTokens;
    /** By live request, hashes of the full blocks that a match may use. */
    private final Long2ObjectHashMap<long[]> prompts = new Long2ObjectHashMap<>();
    private final int[] matchedTokens;
    /** By rank, the hashes under which blocks are found. */
    private final LongHashSet[] known;
    private boolean isOver;
    private long[] submitted;

    private FoldedMatches(final int ranks, final int blockSizeTokens, final boolean isKnown)
    {
        this.ranks = ranks;
        this.blockSizeTokens = blockSizeTokens;
        matchedTokens = new int[ranks];
        known = new LongHashSet[ranks];
        Arrays.setAll(known, rank -> new LongHashSet());
        isOver = !isKnown;
    }

    /**
     * For the events of a run from its beginning.
     *
     * @param keepsCachedBlocks whether a block is found until it is evicted. If it is found until its last owner releases
     *                          it, no match is known.
     */
    public static FoldedMatches of(final int ranks, final int blockSizeTokens, final boolean keepsCachedBlocks)
    {
        return new FoldedMatches(ranks, blockSizeTokens, keepsCachedBlocks);
    }

    /** For events that do not begin with the run: matches are unknown. */
    public static FoldedMatches none()
    {
        return new FoldedMatches(1, 1, false);
    }

    /** Adds a block that the rank has cached before the first event. */
    public void cached(final int rank, final long hash)
    {
        if (!isOver)
        {
            known[rank].add(hash);
        }
    }

    @Override
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

    @Override
    public void onAccepted(final RunRequest request)
    {
        if (!isOver)
        {
            prompts.put(request.id(), submitted);
        }
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        if (decision.matchesRead() == Flag.YES && !isOver)
        {
            isOver = true;
            prompts.clear();
            forgetAll();
        }
    }

    @Override
    public void onStep(final StepView plan)
    {
        for (int i = 0; i < plan.evictedCount() && !isOver; i++)
        {
            known[plan.rank()].remove(plan.evictedHash(i));
        }
    }

    @Override
    public void onLanded(final RunStep step, final CommitView commit)
    {
        if (isOver)
        {
            return;
        }
        for (int i = 0; i < commit.registeredCount(); i++)
        {
            known[commit.rank()].add(commit.registeredHash(i));
        }
    }

    @Override
    public void onControl(final ControlDecoder control)
    {
        if (control.kind() == ControlKind.CACHE_RESET)
        {
            forgetAll();
        }
    }

    /** Blocks of the former weights are not found any more. */
    @Override
    public void onNewWeights(final NewWeightsDecoder change)
    {
        forgetAll();
    }

    private void forgetAll()
    {
        for (final LongHashSet rank : known)
        {
            rank.clear();
        }
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        for (int rank = 0; rank < ranks && !isOver && reset.kvMemoryKept() != Flag.YES; rank++)
        {
            if (reset.rank() < 0 || reset.rank() == rank)
            {
                known[rank].clear();
            }
        }
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        prompts.remove(end.requestId());
    }

    /**
     * Prompt tokens of the request that each rank has cached now.
     *
     * @return by rank; {@code null} if they are unknown. The next call changes the array.
     */
    public int[] tokens(final long requestId)
    {
        final long[] hashes = isOver ? null : prompts.get(requestId);
        if (hashes == null)
        {
            return null;
        }
        for (int rank = 0; rank < ranks; rank++)
        {
            matchedTokens[rank] = matchedBlocks(known[rank], hashes) * blockSizeTokens;
        }
        return matchedTokens;
    }

    /** Binary search as in the scheduler's prefix index: answers are equal even if a rank has only parts of a prompt. */
    private static int matchedBlocks(final LongHashSet known, final long[] hashes)
    {
        int low = 0;
        int high = hashes.length;
        while (low < high)
        {
            final int middle = low == 0 && high == hashes.length ? 1 : low + high + 1 >>> 1;
            if (known.contains(hashes[middle - 1]))
            {
                low = middle;
            }
            else
            {
                high = middle - 1;
            }
        }
        return low;
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
