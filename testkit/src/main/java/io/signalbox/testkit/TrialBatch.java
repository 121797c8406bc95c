// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;
import io.signalbox.router.Relax;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.RandomDistribution;

import java.util.List;

/**
 * A random batch as admission lets it through, and the requests that end after it: a number for each rank that a router
 * may have, then one for each request. jqwik shrinks a list of numbers to few small ones, which are few requests and empty
 * ranks.
 *
 * @param numbers of which the digits are the choices; 0 is an idle rank on which no request ends, or an empty prompt without
 *                conversation, hint or match that generates one token. Requests that the ranks have no room for are left
 *                out.
 */
record TrialBatch(List<Long> numbers)
{
    private static final long MUCH = 1L << 40;
    private static final int TOKENS = 1000;
    private static final int CACHED = 5000;
    /** Product of the bounds of the choices of a rank's figures. */
    private static final long FIGURES = 8L * (RouterSeries.MAX_ACTIVE + 1) * TOKENS * TOKENS * TOKENS * TOKENS * CACHED;
    /** Choices of the tokens of a request that ends; the first one is that no request ends on the rank. */
    private static final int OUTPUTS = 32;
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

    /** Tells the router the requests that end after the batch: at most one on each rank. */
    void end(final DpRouter router, final int ranks)
    {
        for (int rank = 0; rank < ranks; rank++)
        {
            final int tokens = outputTokens(rank);
            if (tokens > 0)
            {
                router.ended(tokens);
            }
        }
    }

    /** Tokens of the request that ends on the rank; 0: no request ends. The digits of the rank's figures come first. */
    private int outputTokens(final int rank)
    {
        final int choice = (int)(numbers.get(rank) / FIGURES % OUTPUTS);
        return choice * choice;
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
        final int newTokens = 1 + choices.next(TOKENS);
        final int request = writer.add(choices.rest, conversation, tokens, hint,
            hint == PlacementBatch.NO_RANK ? Relax.NO_PARAMETERS : Relax.RELAXED);
        writer.maxNewTokens(request, newTokens);
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
        for (int rank = 0; rank < ranks; rank++)
        {
            final int tokens = outputTokens(rank);
            text.append(tokens == 0 ? "" : "; a request with " + tokens + " output tokens ends");
        }
        return text.toString();
    }

    private static String text(final PlacementBatch batch, final int request)
    {
        final StringBuilder text = new StringBuilder("request ").append(batch.requestId(request)).append(" of ")
            .append(batch.promptTokens(request)).append(" tokens");
        text.append(batch.maxNewTokens(request) == 1 ? "" : " and " + batch.maxNewTokens(request) + " new ones")
            .append(batch.conversationId(request) < 0 ? "" : " in conversation " + batch.conversationId(request))
            .append(batch.rankHint(request) < 0 ? "" : " with the hint " + batch.rankHint(request));
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            final int matched = batch.matchedTokens(request, rank);
            text.append(matched == 0 ? "" : ", " + matched + " matched on rank " + rank);
        }
        return text.toString();
    }
}
