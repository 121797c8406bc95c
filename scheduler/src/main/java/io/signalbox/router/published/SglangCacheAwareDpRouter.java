// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;

/**
 * The cache-aware rule of SGLang's gateway. The ranks are out of balance if the most active requests of a rank exceed the
 * fewest by more than {@code imbalance} and by more than {@code imbalanceRatio} times. If they are, the shortest queue
 * wins. Else, if some rank has more than {@code cacheThreshold} of the prompt, the longest match wins. Else the shortest
 * queue wins.
 */
public final class SglangCacheAwareDpRouter extends GatedMatchDpRouter
{
    private static final Setting<Double> CACHE_THRESHOLD = Setting.real("cacheThreshold", "", 0.3, 0.0, Double.MAX_VALUE,
        "Share of a prompt that the longest match must exceed to be followed.");
    private static final Setting<Integer> IMBALANCE = Setting.integer("imbalance", "requests", 64, 0, Integer.MAX_VALUE,
        "Requests by which the fullest rank may exceed the emptiest before load decides.");
    private static final Setting<Double> IMBALANCE_RATIO = Setting.real("imbalanceRatio", "", 1.5, 0.0, Double.MAX_VALUE,
        "Multiple of the emptiest rank's requests that the fullest must hold for the same.");

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("sglang-cache-aware", 1,
                "Longest match above a threshold; shortest queue if out of balance. SGLang gateway.",
                CACHE_THRESHOLD, IMBALANCE, IMBALANCE_RATIO);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new SglangCacheAwareDpRouter(
                values.get(CACHE_THRESHOLD), values.get(IMBALANCE), values.get(IMBALANCE_RATIO));
        }
    }

    /**
     * @param cacheThreshold share of a prompt that the longest match must exceed to be followed.
     * @param imbalance      requests by which the fullest rank may exceed the emptiest before load decides.
     * @param imbalanceRatio how many times the emptiest rank's requests the fullest must have for the same.
     */
    SglangCacheAwareDpRouter(final double cacheThreshold, final int imbalance, final double imbalanceRatio)
    {
        super(cacheThreshold, imbalance, imbalanceRatio);
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final int matched = batch.matchedTokens(request, rank);
        final double newWork = (double)batch.promptTokens(request) - matched;
        final double load = batch.activeRequests(rank);
        final double score = byMatch() ? newWork : load;
        batch.candidate(request, rank, score, newWork, load, byMatch() ? matched : 0);
        return score;
    }
}
