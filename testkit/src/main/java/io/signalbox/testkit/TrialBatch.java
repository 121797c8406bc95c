// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;
import io.signalbox.router.Relax;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.RandomDistribution;

import java.util.List;

/**
 * A random batch as admission lets it through: a number for each rank that a router may have, then one for each request.
 * jqwik shrinks a list of numbers to few small ones, which are few requests and empty ranks.
 *
 * @param numbers of which the digits are the choices; 0 is an idle rank, or an empty prompt without conversation, hint or
 *                match. Requests that the ranks have no room for are left out.
 */
record TrialBatch(List<Long> numbers)
{
    private static final long MUCH = 1L << 40;
    private static final int TOKENS = 1000;
    private static final int CACHED = 5000;
    private static final int CONVERSATIONS = 12;

    /** The digits of a number, the lowest first, each in the base of its bound. */
    private static final class Choices
    {
        private long rest;

        Choices(final long number)
        {
            rest = number;
        }

        int next(final int bound)
        {
            final int choice = (int)(rest % bound);
            rest /= bound;
            return choice;
        }

        /** Whether the usual case comes, with the probability {@code 1 - 1 / rarity}. */
        boolean isUsual(final int rarity)
        {
            return next(rarity) < rarity - 1;
        }
    }

    static Arbitrary<TrialBatch> batches()
    {
        return Arbitraries.longs().between(0, Long.MAX_VALUE).withDistribution(RandomDistribution.uniform())
            .withoutEdgeCases().list().ofMinSize(RouterSeries.MAX_RANKS)
            .ofMaxSize(RouterSeries.MAX_RANKS * (1 + RouterSeries.MAX_ACTIVE))
            .withSizeDistribution(RandomDistribution.uniform()).withoutEdgeCases().map(TrialBatch::new);
    }

    /**
     * Replaces ranks and requests of the writer's batch.
     *
     * @param matches whether requests match prefixes; if false, the batch is the same apart from that.
     */
    void fill(final PlacementBatchWriter writer, final boolean matches)
    {
        final int ranks = writer.batch().ranks();
        int room = 0;
        writer.clear();
        for (int rank = 0; rank < ranks; rank++)
        {
            room += fillRank(writer, rank, new Choices(numbers.get(rank)));
        }
        for (final long number : requests().subList(0, Math.min(room, requests().size())))
        {
            add(writer, new Choices(number), matches);
        }
    }

    private List<Long> requests()
    {
        return numbers.subList(RouterSeries.MAX_RANKS, numbers.size());
    }

    /** Returns the requests that the rank has room for. */
    private static int fillRank(final PlacementBatchWriter writer, final int rank, final Choices choices)
    {
        final boolean lost = !choices.isUsual(8);
        final int active = lost ? 0 : choices.next(RouterSeries.MAX_ACTIVE + 1);
        writer.rank(rank, active, lost);
        writer.figure(rank, RankFigure.PROMPT_TOKENS, active * (long)choices.next(TOKENS));
        writer.figure(rank, RankFigure.UNCACHED_TOKENS, active * (long)choices.next(TOKENS));
        writer.figure(rank, RankFigure.PENDING_PREFILL_TOKENS, active * (long)choices.next(TOKENS));
        writer.figure(rank, RankFigure.CONTEXT_TOKENS, active * (long)choices.next(TOKENS));
        writer.figure(rank, RankFigure.FREE_TOKENS, MUCH);
        writer.figure(rank, RankFigure.CACHED_TOKENS, choices.next(CACHED));
        return lost ? 0 : RouterSeries.MAX_ACTIVE - active;
    }

    private static void add(final PlacementBatchWriter writer, final Choices choices, final boolean matches)
    {
        final int ranks = writer.batch().ranks();
        final int tokens = choices.isUsual(4) ? choices.next(TOKENS) : choices.next(2);
        final int conversation = choices.next(CONVERSATIONS) - 1;
        final int hint = choices.isUsual(4) ? PlacementBatch.NO_RANK : choices.next(ranks);
        final int matchedOn = choices.next(ranks);
        final int matched = choices.next(tokens + 1);
        final int request = writer.add(choices.rest, conversation, tokens, hint,
            hint == PlacementBatch.NO_RANK ? Relax.NO_PARAMETERS : Relax.RELAXED);
        if (matches)
        {
            writer.matchedTokens(request, matchedOn, matched);
        }
    }

    /** As a router of so many ranks gets it. */
    String text(final int ranks)
    {
        final PlacementBatchWriter writer = new PlacementBatchWriter(ranks, RouterSeries.MAX_ACTIVE);
        fill(writer, true);
        final PlacementBatch batch = writer.batch();
        final StringBuilder text = new StringBuilder();
        for (int rank = 0; rank < ranks; rank++)
        {
            text.append(rank == 0 ? "" : ", ")
                .append(batch.isLost(rank) ? "lost" : batch.activeRequests(rank) + " active");
        }
        for (int request = 0; request < batch.count(); request++)
        {
            text.append(request == 0 ? "; " : ", ").append(text(batch, request));
        }
        return text.toString();
    }

    private static String text(final PlacementBatch batch, final int request)
    {
        final StringBuilder text = new StringBuilder("request ").append(batch.requestId(request)).append(" of ")
            .append(batch.promptTokens(request)).append(" tokens");
        text.append(batch.conversationId(request) < 0 ? "" : " in conversation " + batch.conversationId(request))
            .append(batch.rankHint(request) < 0 ? "" : " with the hint " + batch.rankHint(request));
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            final int matched = batch.matchedTokens(request, rank);
            text.append(matched == 0 ? "" : ", " + matched + " matched on rank " + rank);
        }
        return text.toString();
    }
}
