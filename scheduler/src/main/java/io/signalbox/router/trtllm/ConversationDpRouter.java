// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import io.signalbox.StateDigest;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.ExplicitPlacement;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementOrder;
import io.signalbox.router.RankFigure;
import io.signalbox.router.Relax;
import io.signalbox.router.RouterSnapshot;
import io.signalbox.router.TieRule;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Sends every turn of a conversation to the rank of its first, independent of the cache: TensorRT-LLM's
 * conversation-aware attention-DP router of commit 04fe30a9. The first turn goes to its hint or, like a request without a
 * conversation, to the next rank in turn or the one with the fewest requests. A turn whose rank is full goes to another
 * rank; the binding stays.
 *
 * <p>The original fails on {@link Relax#UNSTATED}; here that counts as relaxed.
 */
public final class ConversationDpRouter implements DpRouter
{
    private static final Setting<Integer> MAX_SESSIONS = Setting.integer("maxSessions", "conversations", 65_536, 1, 1 << 24,
        "Most conversations whose rank is remembered.");
    private static final Setting<NewConversation> NEW_CONVERSATION = Setting.choice("newConversation",
        NewConversation.ROUND_ROBIN, List.of(NewConversation.values()), NewConversation::label,
        "Placement of a request whose conversation has no rank yet.");

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("conversation", 1,
                "Every turn of a conversation to the rank of its first turn; new conversations in turn.",
                MAX_SESSIONS, KvAwareDpRouter.FAIR_SHARE_MULTIPLIER, NEW_CONVERSATION);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new ConversationDpRouter(values.get(MAX_SESSIONS), values.get(KvAwareDpRouter.FAIR_SHARE_MULTIPLIER),
                values.get(NEW_CONVERSATION));
        }
    }

    private final double fairShareMultiplier;
    private final NewConversation newConversation;
    private final ConversationRanks homes;
    private final int[] order = new int[PlacementBatch.MAX_REQUESTS];
    private int cursor;

    /**
     * @param maxSessions         most conversations to remember.
     * @param fairShareMultiplier how far above its fair share of all requests a rank may go; below 1 counts as 1.
     */
    public ConversationDpRouter(
        final int maxSessions, final double fairShareMultiplier, final NewConversation newConversation)
    {
        this.fairShareMultiplier = Math.max(fairShareMultiplier, 1.0);
        this.newConversation = newConversation;
        homes = new ConversationRanks(maxSessions);
    }

    @Override
    public boolean readsMatches()
    {
        return false;
    }

    @Override
    public long digest()
    {
        return StateDigest.mix(homes.digest(), cursor);
    }

    @Override
    public long snapshotBytes()
    {
        return homes.snapshotBytes() + Integer.BYTES;
    }

    @Override
    public void snapshot(final ByteBuffer into)
    {
        homes.snapshot(into);
        into.putInt(cursor);
    }

    @Override
    public void restore(final ByteBuffer from, final int ranks)
    {
        homes.restore(from, ranks);
        cursor = RouterSnapshot.rank(from.getInt(), ranks);
    }

    /** The bindings: for reports and tests; must not be mutated. */
    public ConversationRanks homes()
    {
        return homes;
    }

    /** The rank at which the next round-robin search begins. */
    public int cursor()
    {
        return cursor;
    }

    @Override
    public void place(final PlacementBatch batch)
    {
        batch.loadFrom(RankFigure.PROMPT_TOKENS);
        PlacementOrder.strictFirst(batch, true, order);
        int open = 0;
        for (int i = 0; i < batch.count(); i++)
        {
            if (home(batch, order[i]) == PlacementBatch.NO_RANK && placeOnHint(batch, order[i]))
            {
                continue;
            }
            order[open++] = order[i];
        }
        batch.target(Math.min(PlacementOrder.target(batch, open, fairShareMultiplier), batch.maxActive()));
        for (int i = 0; i < open; i++)
        {
            placeOne(batch, order[i]);
        }
        batch.target(Math.max(batch.target(), fullest(batch)));
    }

    private int home(final PlacementBatch batch, final int request)
    {
        final long conversation = batch.conversationId(request);
        return conversation == PlacementBatch.NO_CONVERSATION ? PlacementBatch.NO_RANK : homes.rank(conversation);
    }

    private boolean placeOnHint(final PlacementBatch batch, final int request)
    {
        final boolean placed = ExplicitPlacement.onHint(batch, request, batch.promptTokens(request));
        if (placed && batch.conversationId(request) != PlacementBatch.NO_CONVERSATION)
        {
            homes.bind(batch.conversationId(request), batch.rankHint(request));
        }
        return placed;
    }

    private void placeOne(final PlacementBatch batch, final int request)
    {
        final int home = home(batch, request);
        if (home != PlacementBatch.NO_RANK && batch.hasRoom(home))
        {
            candidate(batch, request, home, 0);
            choose(batch, request, home, TieRule.BOUND);
            homes.touch(batch.conversationId(request));
            return;
        }
        final int rank =
            newConversation == NewConversation.ROUND_ROBIN ? nextInTurn(batch, request) : PlacementBatch.NO_RANK;
        final int chosen = rank == PlacementBatch.NO_RANK ? fewestRequests(batch, request) : rank;
        if (chosen == PlacementBatch.NO_RANK)
        {
            return;
        }
        choose(batch, request, chosen,
            rank == PlacementBatch.NO_RANK ? TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK : TieRule.ROUND_ROBIN);
        if (home == PlacementBatch.NO_RANK && batch.conversationId(request) != PlacementBatch.NO_CONVERSATION)
        {
            homes.bind(batch.conversationId(request), chosen);
        }
    }

    private int nextInTurn(final PlacementBatch batch, final int request)
    {
        for (int turn = 0; turn < batch.ranks(); turn++)
        {
            final int rank = (cursor + turn) % batch.ranks();
            if (PlacementOrder.isEligible(batch, rank))
            {
                candidate(batch, request, rank, turn);
                cursor = (rank + 1) % batch.ranks();
                return rank;
            }
        }
        return PlacementBatch.NO_RANK;
    }

    /** Among the ranks under the target, else among all that are not lost. */
    private static int fewestRequests(final PlacementBatch batch, final int request)
    {
        boolean anyEligible = false;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            anyEligible |= PlacementOrder.isEligible(batch, rank);
        }
        int best = PlacementBatch.NO_RANK;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (anyEligible ? PlacementOrder.isEligible(batch, rank) : !batch.isLost(rank))
            {
                candidate(batch, request, rank, batch.activeRequests(rank));
                best = best == PlacementBatch.NO_RANK || batch.activeRequests(rank) < batch.activeRequests(best) ?
                    rank : best;
            }
        }
        return best;
    }

    private static void candidate(final PlacementBatch batch, final int request, final int rank, final double score)
    {
        batch.candidate(request, rank, score, batch.promptTokens(request), 0, 0);
    }

    private static void choose(final PlacementBatch batch, final int request, final int rank, final TieRule tieRule)
    {
        batch.choose(request, rank, batch.promptTokens(request), tieRule);
    }

    private static int fullest(final PlacementBatch batch)
    {
        int fullest = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            fullest = Math.max(fullest, batch.activeRequests(rank));
        }
        return fullest;
    }
}
