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
 *   score    = (pending - deferred + newWork) * (1 + slowdown) + decodeWeight * slowdown + reuseWeight * newWork
 *              + cachedWeight * cached + evictionWeight * evicted * (spare - unused) / pool
 * </pre>
 *
 * <p>The first term is the time to the first token. {@code pending} counts the rank's prompt tokens that are neither
 * cached nor computed yet; it shrinks with every step. The steps that compute them also decode the rank's other requests,
 * which slows them down. The second term is the slowdown of the request's own decode steps. The third is the work itself,
 * on any rank: a prefix that is computed twice occupies blocks that another prefix could use. The fourth decides between
 * ranks that are otherwise equal: {@code cached} tokens that no request uses mostly belong to conversations that will
 * return to the rank, so a new conversation goes to another rank. No term depends on the number of ranks, and none grows
 * on a rank because another one is loaded.
 *
 * <p>The last term can be positive even if all ranks are idle. {@code unused} tokens fit into the rank's blocks that are
 * empty and not promised to a request. {@code evicted} cached tokens make room for the other new tokens. {@code spare}
 * is the largest {@code unused / (1 + active)} of the ranks that have no prompt to compute. The term is 0 if all caches
 * are full, and small if all ranks are busy. Otherwise prompts with a common beginning leave a full rank and use the other
 * caches.
 *
 * <p>If the scheduler limits long prompts, a step of a rank computes only a part of them, and has room for other requests.
 * {@code deferred} tokens of long prompts are left to later steps; they do not delay the request. If the rank already
 * computes as many long prompts as it may, a long request waits for all of {@code pending}.
 *
 * <p>A rank is busy if the request would wait for {@code backlog} prompt tokens there, or the rank has no room for its
 * blocks; an idle rank is never busy. If a request has to wait, later requests wait too, so a request is never
 * overtaken indefinitely. If long prompts are limited, short requests overtake a long request; the scheduler bounds their
 * number.
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
    private static final Setting<Double> EVICTION_WEIGHT = Setting.weight("evictionWeight", 8.0,
        "Cost of a cached token that a rank evicts while an idle rank has an empty cache, in prefill tokens.");
    private static final Setting<Double> BACKLOG = Setting.real("backlog", "tokens", 32_768, 0.0, Double.MAX_VALUE,
        "If a request would wait for this many prompt tokens on a rank, the rank does not accept it.");

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("signalbox", 2,
                "Time to the first token plus the cost to others; requests wait in one queue while all ranks are busy.",
                ROW_WEIGHT, CONTEXT_WEIGHT, DECODE_WEIGHT, REUSE_WEIGHT, CACHED_WEIGHT, EVICTION_WEIGHT, BACKLOG);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new SignalboxDpRouter(values, ranks);
        }
    }

    private final double rowWeight;
    private final double contextWeight;
    private final double decodeWeight;
    private final double reuseWeight;
    private final double cachedWeight;
    private final double evictionWeight;
    private final double backlog;
    /** By rank, the share by which its requests slow its steps down. */
    private final double[] slowdown;
    /** By rank, the part of a score that does not depend on the request. */
    private final double[] loadTerm;
    private final long[] free;
    private final long[] cached;
    /** By rank, tokens that fit into free blocks without cached content. */
    private final long[] unused;
    /** By rank, the share of the pool that one token takes. */
    private final double[] poolShare;
    private final long[] longPrefills;
    private final long[] deferred;
    /** The most unused tokens of a rank without a prompt to compute, divided by its requests plus one. */
    private long spare;
    private int spareRank;

    /** @param values of the knobs that the {@link Provider} declares. */
    SignalboxDpRouter(final SettingValues values, final int ranks)
    {
        rowWeight = values.get(ROW_WEIGHT);
        contextWeight = values.get(CONTEXT_WEIGHT);
        decodeWeight = values.get(DECODE_WEIGHT);
        reuseWeight = values.get(REUSE_WEIGHT);
        cachedWeight = values.get(CACHED_WEIGHT);
        evictionWeight = values.get(EVICTION_WEIGHT);
        backlog = values.get(BACKLOG);
        slowdown = new double[ranks];
        loadTerm = new double[ranks];
        free = new long[ranks];
        cached = new long[ranks];
        unused = new long[ranks];
        poolShare = new double[ranks];
        longPrefills = new long[ranks];
        deferred = new long[ranks];
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
    protected void begin(final PlacementBatch batch)
    {
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            longPrefills[rank] = batch.figure(rank, RankFigure.LONG_PREFILLS);
            deferred[rank] = batch.figure(rank, RankFigure.DEFERRED_PREFILL_TOKENS);
            poolShare[rank] = 1.0 / Math.max(1, batch.figure(rank, RankFigure.POOL_TOKENS));
            free[rank] = batch.figure(rank, RankFigure.FREE_TOKENS);
            cached[rank] = batch.figure(rank, RankFigure.CACHED_TOKENS);
            weigh(batch, rank);
        }
        findSpare(batch);
    }

    /** Updates the terms that depend on the requests of the rank. */
    private void weigh(final PlacementBatch batch, final int rank)
    {
        final double slower = rowWeight * batch.activeRequests(rank) +
            contextWeight * batch.figure(rank, RankFigure.CONTEXT_TOKENS);
        slowdown[rank] = slower;
        loadTerm[rank] = batch.loadTokens(rank) * (1.0 + slower) + decodeWeight * slower + cachedWeight * cached[rank];
        unused[rank] = Math.max(0, free[rank] - cached[rank] - batch.loadTokens(rank));
    }

    private void findSpare(final PlacementBatch batch)
    {
        spare = 0;
        spareRank = PlacementBatch.NO_RANK;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (unused[rank] > spare && batch.loadTokens(rank) == 0 && batch.hasRoom(rank))
            {
                final long share = unused[rank] / (1 + batch.activeRequests(rank));
                spareRank = share > spare ? rank : spareRank;
                spare = Math.max(spare, share);
            }
        }
    }

    @Override
    protected void placed(final PlacementBatch batch, final int request, final int rank)
    {
        weigh(batch, rank);
        if (rank == spareRank)
        {
            findSpare(batch);
        }
        final long newWork = batch.uncachedTokens(request, rank);
        if (isLong(batch, newWork))
        {
            deferred[rank] += startsBesideOthers(batch, rank) ? newWork - batch.longPrefillTokens() : newWork;
            longPrefills[rank]++;
        }
    }

    private static boolean isLong(final PlacementBatch batch, final long newWork)
    {
        return batch.longPrefillTokens() > 0 && newWork > batch.longPrefillTokens();
    }

    /** Whether the rank can compute one more long prompt in its next step. */
    private boolean startsBesideOthers(final PlacementBatch batch, final int rank)
    {
        return longPrefills[rank] < batch.maxLongPrefills();
    }

    /** Pending tokens of the rank that do not delay a request with this many new tokens. */
    private long deferred(final PlacementBatch batch, final int rank, final long newWork)
    {
        return isLong(batch, newWork) && !startsBesideOthers(batch, rank) ? 0 : deferred[rank];
    }

    @Override
    protected boolean isOpen(final PlacementBatch batch, final int request, final int rank)
    {
        if (!batch.hasRoom(rank) || batch.activeRequests(rank) == 0)
        {
            return batch.hasRoom(rank);
        }
        final long pending = batch.loadTokens(rank);
        if (pending - deferred[rank] >= backlog)
        {
            return false;
        }
        final long newWork = batch.uncachedTokens(request, rank);
        return pending - deferred(batch, rank, newWork) < backlog &&
            pending + newWork <= free[rank];
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final long newWork = batch.uncachedTokens(request, rank);
        final long passed = deferred(batch, rank, newWork);
        final int evicted = evicted(rank, newWork);
        double load = loadTerm[rank] + newWork * slowdown[rank];
        if (passed > 0 || evicted > 0)
        {
            load += evictionTerm(rank, evicted) - passed * (1.0 + slowdown[rank]);
        }
        final double score = (1.0 + reuseWeight) * newWork + load;
        batch.candidate(request, rank, score, newWork, load, batch.matchedTokens(request, rank), evicted, passed);
        return score;
    }

    /** Cached tokens that the rank would evict for this many new tokens although an idle rank has more unused blocks. */
    private int evicted(final int rank, final long newWork)
    {
        return newWork <= unused[rank] || spare <= unused[rank] ? 0 : (int)Math.min(newWork - unused[rank], cached[rank]);
    }

    private double evictionTerm(final int rank, final int evicted)
    {
        return evictionWeight * evicted * Math.min(1.0, (spare - unused[rank]) * poolShare[rank]);
    }
}
