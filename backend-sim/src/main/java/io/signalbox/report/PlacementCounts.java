// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.MatchGate;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.router.TieRule;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts decisions of the router by who decided and how. */
final class PlacementCounts
{
    private static final Set<TieRule> TIES = Collections.unmodifiableSet(EnumSet.of(
        TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK, TieRule.LOWEST_RANK, TieRule.LEAST_LOAD, TieRule.SEEDED_ORDER,
        TieRule.FEWEST_REQUESTS, TieRule.OTHER));

    private final String configured;
    private final String fallback;
    private final long[] rules = new long[TieRule.values().length];
    private long count;
    private long byFallback;
    private long gateClosed;

    /** @param fallback label of the router that decides without prefix caching. */
    PlacementCounts(final String configured, final String fallback)
    {
        this.configured = configured;
        this.fallback = fallback;
    }

    void onPlaced(final PlacedDecoder decision)
    {
        count++;
        byFallback += decision.decidedBy() == DecidingRouter.FALLBACK ? 1 : 0;
        rules[TieRule.valueOf(decision.tieRule().name()).ordinal()]++;
        gateClosed += decision.gate() == MatchGate.CLOSED ? 1 : 0;
    }

    RunReport.Placements placements()
    {
        final Map<String, Long> byRouter = new TreeMap<>();
        if (count > byFallback)
        {
            byRouter.put(configured, count - byFallback);
        }
        if (byFallback > 0)
        {
            byRouter.put(fallback, byFallback);
        }
        final Map<TieRule, Long> ties = new EnumMap<>(TieRule.class);
        for (final TieRule rule : TIES)
        {
            if (rules[rule.ordinal()] > 0)
            {
                ties.put(rule, rules[rule.ordinal()]);
            }
        }
        return new RunReport.Placements(configured, count, Collections.unmodifiableMap(byRouter),
            byFallback, rules[TieRule.HINT.ordinal()], rules[TieRule.BOUND.ordinal()],
            gateClosed, Collections.unmodifiableMap(ties));
    }
}
