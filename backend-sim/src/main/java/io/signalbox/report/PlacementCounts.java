// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.event.codec.MatchGate;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RoutingPolicy;
import io.signalbox.event.codec.TieRule;
import io.signalbox.router.RouterPolicy;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Counts decisions of the router by who decided and how. */
final class PlacementCounts
{
    private static final Set<TieRule> TIES = Collections.unmodifiableSet(EnumSet.of(
        TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK, TieRule.LOWEST_RANK, TieRule.LEAST_LOAD, TieRule.SEEDED_ORDER,
        TieRule.FEWEST_REQUESTS));

    private final RouterPolicy configured;
    private final long[] policies = new long[RoutingPolicy.values().length];
    private final long[] rules = new long[TieRule.values().length];
    private long count;
    private long gateClosed;

    PlacementCounts(final RouterPolicy configured)
    {
        this.configured = configured;
    }

    void onPlaced(final PlacedDecoder decision)
    {
        count++;
        policies[decision.policy().ordinal()]++;
        rules[decision.tieRule().ordinal()]++;
        gateClosed += decision.gate() == MatchGate.CLOSED ? 1 : 0;
    }

    RunReport.Placements placements()
    {
        final Map<RouterPolicy, Long> byPolicy = new EnumMap<>(RouterPolicy.class);
        for (final RouterPolicy policy : RouterPolicy.values())
        {
            final long decided = policies[RoutingPolicy.valueOf(policy.name()).ordinal()];
            if (decided > 0)
            {
                byPolicy.put(policy, decided);
            }
        }
        final Map<TieRule, Long> ties = new EnumMap<>(TieRule.class);
        for (final TieRule rule : TIES)
        {
            if (rules[rule.ordinal()] > 0)
            {
                ties.put(rule, rules[rule.ordinal()]);
            }
        }
        return new RunReport.Placements(configured, count, Collections.unmodifiableMap(byPolicy),
            count - byPolicy.getOrDefault(configured, 0L), rules[TieRule.HINT.ordinal()], rules[TieRule.BOUND.ordinal()],
            gateClosed, Collections.unmodifiableMap(ties));
    }
}
