// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

/**
 * Signalbox's own rule. Requests wait in the queue while every rank is busy, so that they meet loads and caches as they
 * are when they start; then each goes to the rank with the lowest score, which is a time in units of one prefill token:
 *
 * <pre>
 *   newWork  = T - matched
 *   slowdown = rowWeight * active + contextWeight * context
 *   score    = (pending + newWork) * (1 + slowdown) + decodeWeight * slowdown + reuseWeight * newWork
 *              + cachedWeight * cached
 * </pre>
 *
 * <p>The first term is the wait for the first token: {@code pending} are the prompt tokens that the rank still has to
 * compute, which shrink with every step and do not count what was cached; the steps that compute them also decode the
 * rank's other requests and are that much slower. The second is what these cost the output of the request. The third is
 * the work itself, wherever it is done: what is computed twice takes the room of a prefix that somebody could have used.
 * The last spreads what nothing else tells apart: {@code cached} tokens, held by no request, are mostly those of
 * conversations that will come back to the rank, and a new one does better elsewhere. No term depends on the number of
 * ranks, and none grows on a rank because another one is loaded.
 *
 * <p>A rank is busy with {@code backlog} prompt tokens to compute, or without room for the blocks of the request; never
 * where it has nothing to do. A request that has to wait keeps those behind it waiting, so that none is overtaken for ever.
 * Requests that name a rank go there while it may hold one more, busy or not; the scheduler bounds how many of them may
 * overtake the same request.
 */
public final class SignalboxDpRouter extends ScoredDpRouter
{
    private static final Setting<Double> ROW_WEIGHT = Setting.weight("rowWeight", 0.0011,
        "Share by which an active request slows a rank's steps down.");
    private static final Setting<Double> CONTEXT_WEIGHT = Setting.weight("contextWeight", 1.0E-6,
        "Share by which a token whose KV the rank holds slows its steps down.");
    private static final Setting<Double> DECODE_WEIGHT = Setting.weight("decodeWeight", 100_000,
        "Cost of a slow-down of 1 to the output of the request, in prefill tokens.");
    private static final Setting<Double> REUSE_WEIGHT = Setting.weight("reuseWeight", 1.0,
        "Cost of a computed token to all requests, in prefill tokens that one request waits for.");
    private static final Setting<Double> CACHED_WEIGHT = Setting.weight("cachedWeight", 0.001,
        "Cost of a token that the rank keeps cached for requests to come, in prefill tokens.");
    private static final Setting<Double> BACKLOG = Setting.real("backlog", "tokens", 32_768, 0.0, Double.MAX_VALUE,
        "Prompt tokens still to compute with which a rank accepts no further request.");

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("signalbox", 1,
                "Time to the first token plus the cost to others; requests wait in one queue while all ranks are busy.",
                ROW_WEIGHT, CONTEXT_WEIGHT, DECODE_WEIGHT, REUSE_WEIGHT, CACHED_WEIGHT, BACKLOG);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new SignalboxDpRouter(values);
        }
    }

    private final double rowWeight;
    private final double contextWeight;
    private final double decodeWeight;
    private final double reuseWeight;
    private final double cachedWeight;
    private final double backlog;

    /** @param values of the knobs that the {@link Provider} declares. */
    public SignalboxDpRouter(final SettingValues values)
    {
        rowWeight = values.get(ROW_WEIGHT);
        contextWeight = values.get(CONTEXT_WEIGHT);
        decodeWeight = values.get(DECODE_WEIGHT);
        reuseWeight = values.get(REUSE_WEIGHT);
        cachedWeight = values.get(CACHED_WEIGHT);
        backlog = values.get(BACKLOG);
    }

    @Override
    public boolean keepsOrder()
    {
        return true;
    }

    @Override
    public long digest()
    {
        return 0;
    }

    @Override
    protected boolean isOpen(final PlacementBatch batch, final int request, final int rank)
    {
        if (!batch.hasRoom(rank) || batch.activeRequests(rank) == 0)
        {
            return batch.hasRoom(rank);
        }
        final long pending = batch.loadTokens(rank);
        return pending < backlog &&
            pending + batch.uncachedTokens(request, rank) <= batch.figure(rank, RankFigure.FREE_TOKENS);
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double newWork = batch.uncachedTokens(request, rank);
        final double slowdown = rowWeight * batch.activeRequests(rank) +
            contextWeight * batch.figure(rank, RankFigure.CONTEXT_TOKENS);
        final double loadTerm = batch.loadTokens(rank) * (1.0 + slowdown) + newWork * slowdown +
            decodeWeight * slowdown + cachedWeight * batch.figure(rank, RankFigure.CACHED_TOKENS);
        final double score = (1.0 + reuseWeight) * newWork + loadTerm;
        batch.candidate(request, rank, score, newWork, loadTerm, batch.matchedTokens(request, rank));
        return score;
    }
}
