// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;

/**
 * Two tiers, matches and load. If the most requests of a rank exceed the fewest by more than {@code imbalance} and by more
 * than {@code imbalanceRatio} times, the rank with the fewest requests wins. Else, if the longest match is more than
 * {@code overlapShare} of the prompt, the rank with the fewest requests among those with the longest match wins. Else the
 * rank with the fewest requests wins.
 */
public final class TwoTierDpRouter extends GatedMatchDpRouter
{
    private static final Setting<Double> OVERLAP_SHARE = Setting.real("overlapShare", "", 0.5, 0.0, 1.0,
        "Share of a prompt that the longest match must exceed to be followed.");
    private static final Setting<Integer> IMBALANCE = Setting.integer("imbalance", "requests", 32, 0, Integer.MAX_VALUE,
        "Requests by which the fullest rank may exceed the emptiest before load decides.");
    private static final Setting<Double> IMBALANCE_RATIO = Setting.real("imbalanceRatio", "", 1.1, 0.0, Double.MAX_VALUE,
        "Multiple of the emptiest rank's requests that the fullest must exceed for the same.");

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("two-tier", 2, "Fewest requests among the longest matches; fewest requests if out of balance.",
                OVERLAP_SHARE, IMBALANCE, IMBALANCE_RATIO);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new TwoTierDpRouter(values);
        }
    }

    /** @param values of the knobs that the {@link Provider} declares. */
    TwoTierDpRouter(final SettingValues values)
    {
        super(values.get(OVERLAP_SHARE), values.get(IMBALANCE), values.get(IMBALANCE_RATIO));
    }

    /** If the match decides, a shorter match costs more than all requests that a rank can have. */
    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final int matched = batch.matchedTokens(request, rank);
        final double load = batch.activeRequests(rank);
        final double score = byMatch() && matched < longest() ? load + batch.maxActive() : load;
        batch.candidate(request, rank, score, 0, load, byMatch() ? matched : 0);
        return score;
    }
}
