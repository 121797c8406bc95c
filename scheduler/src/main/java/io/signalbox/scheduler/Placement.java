// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.batch.RankLoad;
import io.signalbox.batch.Request;
import io.signalbox.batch.RequestQueue;
import io.signalbox.batch.WaitingQueue;
import io.signalbox.event.codec.PlacedEncoder;
import io.signalbox.kv.RankPrefixIndex;
import io.signalbox.router.QueuePop;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;
import io.signalbox.router.Relax;
import io.signalbox.saved.SavedFields;

import java.util.Arrays;
import java.util.function.LongToIntFunction;

/**
 * Removes as many requests from the queue as the ranks have room for, and lets the router place them. A request that is
 * bound to a full rank, or that the router does not place, returns to the front of the queue in its order.
 *
 * <p>If the router keeps the order, requests that name a rank may still overtake a waiting one. Once
 * {@link #MAX_OVERTAKING} requests have overtaken the same one, requests are offered one at a time, and later ones wait
 * until it is placed. The ranks then drain, so no stream of such requests keeps it waiting indefinitely.
 */
final class Placement
{
    /** Most decisions of one plan point. Other requests wait for the next one, so that no burst outgrows a group. */
    private static final int MAX_DECISION_BYTES = 16 * 1024 * 1024;
    private static final int PLACED_BYTES = 64;
    /** A batch begun below this bound may exceed it, by less than {@link PlacementBatch#MAX_REQUESTS}. */
    static final int MAX_OVERTAKING = 1024;
    private static final long NO_REQUEST = Long.MIN_VALUE;

    private final GuardedRouter router;
    private final DpRank[] ranks;
    private final int maxActive;
    private final int blockSizeTokens;
    private final PromptSamples samples;
    /** {@code null} if the router reads no matches, or there is one rank, whose pool knows them. */
    private final RankPrefixIndex prefixIndex;
    private final int[] matchedBlocks;
    private final int maxPlaced;
    private final PlacementBatchWriter writer;
    private final PlacementBatch batch;
    private final QueuePop queuePop = new QueuePop();
    private final int[] claimed;
    private final Request[] batched = new Request[PlacementBatch.MAX_REQUESTS];
    private final RequestQueue popped = new RequestQueue();
    private final RequestQueue unplaced = new RequestQueue();
    /**
     * The first request that an order-keeping router did not place, until it leaves the queue. A request of a higher
     * priority that queues ahead of it does not restart the count.
     */
    private long held = NO_REQUEST;
    /** Requests that have overtaken it. */
    private int overtaking;
    /** {@code null}: requests have the heads of their prompts. */
    private LongToIntFunction recordedOrder;
    private final int[] position = new int[1];
    /** Whether an event since the last plan point may allow a queued request to be placed. */
    private boolean due;
    private boolean moreToPlace;
    private boolean isOnlyBegun;

    Placement(
        final GuardedRouter router, final DpRank[] ranks, final PromptSamples samples, final SchedulerConfig config)
    {
        this.samples = samples;
        maxActive = config.maxRunning();
        blockSizeTokens = config.blockSizeTokens();
        matchedBlocks = new int[ranks.length];
        prefixIndex = router.readsMatches() && ranks.length > 1 ? new RankPrefixIndex(ranks.length) : null;
        for (int i = 0; i < ranks.length && prefixIndex != null; i++)
        {
            ranks[i].blocks.indexPrefixes(prefixIndex);
        }
        this.router = router;
        this.ranks = ranks;
        maxPlaced = MAX_DECISION_BYTES /
            (PLACED_BYTES + ranks.length * PlacedEncoder.CandidatesEncoder.sbeBlockLength());
        writer = new PlacementBatchWriter(ranks.length, maxActive);
        writer.longPrefills(config.get(BatchSettings.LONG_PREFILL_TOKENS), config.get(BatchSettings.MAX_LONG_PREFILLS));
        batch = writer.batch();
        writer.probeBy(!router.readsMatches() ? null : prefixIndex == null ? this::probeOnly : this::probe);
        router.recorded().into(writer);
        claimed = new int[ranks.length];
    }

    /** Between two plan points. */
    void save(final SavedFields fields)
    {
        held = fields.number(held);
        overtaking = fields.int32(overtaking);
        due = fields.flag(due);
        moreToPlace = fields.flag(moreToPlace);
    }

    void orderBy(final LongToIntFunction positions)
    {
        recordedOrder = positions;
    }

    /** Ranks that requests may wait for: those that work, and lost ones that are expected to be reset. */
    int ranksExpected()
    {
        int expected = 0;
        for (final DpRank rank : ranks)
        {
            expected += rank.isExpected() ? 1 : 0;
        }
        return expected;
    }

    /** Records an event that may allow a queued request to be placed. */
    void due()
    {
        due = true;
    }

    /** Whether the next plan point may place a request, if one is queued. */
    boolean isDue()
    {
        return due || moreToPlace;
    }

    /** @param onlyBegun whether requests that have not begun stay in the queue, and their places on ranks do not count. */
    void place(final WaitingQueue queue, final boolean onlyBegun, final OutputEncoder out)
    {
        isOnlyBegun = onlyBegun;
        int left = maxPlaced;
        boolean goesOn = true;
        while (goesOn && left > 0 && !queue.isEmpty() && room() > 0)
        {
            final int placed = placeBatch(queue, out, left);
            left -= placed;
            goesOn = placed == batch.count() || !router.keepsOrder();
        }
        // Requests that the router was not asked about.
        moreToPlace = !queue.isEmpty() && room() > 0;
        due = false;
        while (!unplaced.isEmpty())
        {
            queue.giveBack(unplaced.removeLast());
        }
    }

    private int placeBatch(final WaitingQueue queue, final OutputEncoder out, final int most)
    {
        writer.clear();
        readRanks();
        pop(queue, overtaking >= MAX_OVERTAKING ? 1 : Math.min(most, PlacementBatch.MAX_REQUESTS));
        if (batch.count() > 0)
        {
            router.place(batch);
            if (router.keepsOrder())
            {
                countOvertaking();
            }
        }
        for (int i = 0; i < batch.decisions(); i++)
        {
            final int decided = batch.decision(i);
            final int rank = batch.chosenRank(decided);
            out.placed(router.decidedBy(), router.readsMatches(), batch, decided);
            ranks[rank].planner.place(batched[decided], batch.matchedTokens(decided, rank));
            ranks[rank].due();
        }
        Arrays.fill(batched, 0, batch.count(), null);
        while (!popped.isEmpty())
        {
            final Request request = popped.removeFirst();
            if (request.stage() == Request.Stage.QUEUED)
            {
                unplaced.addLast(request);
            }
        }
        return batch.decisions();
    }

    private void countOvertaking()
    {
        boolean waiting = false;
        for (int request = 0; request < batch.count(); request++)
        {
            final long id = batch.requestId(request);
            final boolean placed = batch.chosenRank(request) != PlacementBatch.NO_RANK;
            if (placed)
            {
                gone(id);
                overtaking += waiting ? 1 : 0;
            }
            else
            {
                hold(id);
                waiting = true;
            }
        }
    }

    private void hold(final long requestId)
    {
        if (held == NO_REQUEST)
        {
            held = requestId;
            overtaking = 0;
        }
    }

    /** Records that a request has left the queue. */
    void gone(final long requestId)
    {
        if (requestId == held)
        {
            held = NO_REQUEST;
            overtaking = 0;
        }
    }

    /** Tells the router how long an answer was. */
    void answered(final Request request)
    {
        router.ended(request.generatedTokens());
    }

    /** Digest of the count of overtaking requests, chained to another digest. */
    long digest(final long before)
    {
        return overtaking == 0 ? before : StateDigest.mix(before, held, overtaking);
    }

    private void pop(final WaitingQueue queue, final int most)
    {
        queuePop.begin(room());
        while (batch.count() < most && !queue.isEmpty())
        {
            final Request request = queue.first();
            if (isOnlyBegun && !request.hasBegun() || samples.waits(request))
            {
                popped.addLast(queue.take());
                continue;
            }
            final QueuePop.Answer verdict = queuePop.next(hint(request), relax(request), 1, claimed, maxActive);
            if (verdict == QueuePop.Answer.NO_ROOM)
            {
                return;
            }
            popped.addLast(queue.take());
            if (verdict == QueuePop.Answer.TAKEN)
            {
                add(request);
            }
        }
    }

    private long room()
    {
        long room = 0;
        for (final DpRank rank : ranks)
        {
            room += rank.isLost() ? 0 : Math.max(0, maxActive - active(rank));
        }
        return room;
    }

    private int active(final DpRank rank)
    {
        return rank.load.activeRequests() - (isOnlyBegun ? rank.planner.notBegun() : 0);
    }

    private void readRanks()
    {
        for (int i = 0; i < ranks.length; i++)
        {
            final RankLoad load = ranks[i].load;
            claimed[i] = active(ranks[i]);
            writer.rank(i, claimed[i], ranks[i].isLost());
            writer.figure(i, RankFigure.PROMPT_TOKENS, load.promptTokens());
            writer.figure(i, RankFigure.UNCACHED_TOKENS, load.uncachedTokens());
            writer.figure(i, RankFigure.PENDING_PREFILL_TOKENS, load.pendingPrefillTokens());
            writer.figure(i, RankFigure.CONTEXT_TOKENS, load.contextTokens());
            writer.figure(i, RankFigure.FREE_TOKENS, ranks[i].freeTokens());
            writer.figure(i, RankFigure.CACHED_TOKENS, ranks[i].cachedTokens());
            writer.figure(i, RankFigure.POOL_TOKENS, ranks[i].poolTokens());
            writer.figure(i, RankFigure.LONG_PREFILLS, load.longPrefills());
            writer.figure(i, RankFigure.DEFERRED_PREFILL_TOKENS, load.deferredPrefillTokens());
        }
    }

    /** A hint that names a lost rank, or one that does not exist, is ignored. */
    private int hint(final Request request)
    {
        final int hint = request.rankHint();
        return hint >= 0 && hint < ranks.length && !ranks[hint].isLost() ? hint : PlacementBatch.NO_RANK;
    }

    private static Relax relax(final Request request)
    {
        return request.rankHint() < 0 ? Relax.NO_PARAMETERS : request.hintRelaxed() ? Relax.RELAXED : Relax.STRICT;
    }

    private void add(final Request request)
    {
        final int index = writer.add(
            request.id(), request.conversationId(), request.promptTokens(), hint(request), relax(request));
        writer.maxNewTokens(index, request.maxNewTokens());
        if (recordedOrder == null)
        {
            writer.head(index, request.head().tokens(), request.head().length());
        }
        else
        {
            position[0] = recordedOrder.applyAsInt(request.id());
            writer.head(index, position, 1);
        }
        batched[index] = request;
    }

    private void probe(final int index)
    {
        final Request request = batched[index];
        prefixIndex.longestMatches(request.prefix().values(), ranks[0].blocks.matchableBlocks(request), matchedBlocks);
        for (int rank = 0; rank < ranks.length; rank++)
        {
            writer.matchedTokens(index, rank, matchedBlocks[rank] * blockSizeTokens);
        }
    }

    private void probeOnly(final int index)
    {
        writer.matchedTokens(index, 0, ranks[0].blocks.cachedPrefix(batched[index]) * blockSizeTokens);
    }
}
