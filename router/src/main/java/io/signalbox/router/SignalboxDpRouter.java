// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

/**
 * Signalbox's own router. Requests wait in the queue while every rank is busy, so that the router reads loads and caches
 * at the time a request starts. Each request goes to the rank with the lowest score, a time in units of one prefill token:
 *
 * <pre>
 *   newWork  = T - matched
 *   slowdown = rowWeight * active + contextWeight * context
 *   score    = (pending + newWork) * (1 + slowdown) + decodeWeight * slowdown + reuseWeight * newWork
 *              + cachedWeight * cached
 * </pre>
 *
 * <p>The first term is the time to the first token. {@code pending} counts the rank's prompt tokens that are neither
 * cached nor computed yet; it shrinks with every step. The steps that compute them also decode the rank's other requests,
 * which slows them down. The second term is the slowdown of the request's own decode steps. The third is the work itself,
 * on any rank: a prefix that is computed twice occupies blocks that another prefix could use. The last decides between
 * ranks that are otherwise equal: {@code cached} tokens that no request uses mostly belong to conversations that will
 * return to the rank, so a new conversation goes to another rank. No term depends on the number of ranks, and none grows
 * on a rank because another one is loaded.
 *
 * <p>A rank is busy if it has {@code backlog} prompt tokens to compute, or no room for the blocks of the request; an idle
 * rank is never busy. A request that has to wait keeps those behind it waiting, so none is overtaken indefinitely.
 * Requests that name a rank are placed there while it is below its cap, busy or not; the scheduler bounds how many of
 * them may overtake the same request.
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
    SignalboxDpRouter(final SettingValues values)
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
