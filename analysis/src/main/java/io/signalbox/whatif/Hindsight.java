// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.state.FoldedMatches;
import io.signalbox.stats.RequestOutcome;
import io.signalbox.whatif.WhatIfReport.Candidate;
import io.signalbox.whatif.WhatIfReport.RegrettedPlacement;
import io.signalbox.whatif.WhatIfReport.ScoreTable;
import org.agrona.collections.LongArrayList;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The cost of each run's decisions in hindsight: the latency of a request less the shortest that it has in any run of the
 * question. Only requests that completed in all runs count.
 */
final class Hindsight
{
    private static final int MOST_WORST = 20;
    /** Of two that lost as much, the one with the lower id is worse. */
    private static final Comparator<RegrettedPlacement> LEAST_FIRST = Comparator.comparingLong(RegrettedPlacement::lostNanos)
        .thenComparing(Comparator.comparingLong(RegrettedPlacement::requestId).reversed());

    private final List<RunOutcome> runs;
    private final List<String> names;
    private final List<LongArrayList> lost = new ArrayList<>();
    private final List<PriorityQueue<RegrettedPlacement>> worst = new ArrayList<>();
    private final long[] best;

    private Hindsight(final List<RunOutcome> runs, final List<String> names)
    {
        this.runs = runs;
        this.names = names;
        best = new long[runs.size()];
        runs.forEach(run ->
        {
            lost.add(new LongArrayList());
            worst.add(new PriorityQueue<>(LEAST_FIRST));
        });
    }

    /** The regret of each run, in their order. */
    static List<WhatIfReport.Regret> of(final List<RunOutcome> runs, final List<String> names)
    {
        final Hindsight hindsight = new Hindsight(runs, names);
        runs.get(0).requests().forEach(hindsight::add);
        final List<WhatIfReport.Regret> regrets = new ArrayList<>();
        for (int run = 0; run < runs.size(); run++)
        {
            regrets.add(runs.get(run).placements().regret().with(hindsight.best[run],
                Distributions.of(hindsight.lost.get(run)),
                hindsight.worst.get(run).stream().sorted(LEAST_FIRST.reversed()).toList()));
        }
        return regrets;
    }

    private void add(final RequestOutcome first)
    {
        int bestRun = 0;
        long shortest = Long.MAX_VALUE;
        for (int run = 0; run < runs.size(); run++)
        {
            final RequestOutcome outcome = runs.get(run).request(first.requestId());
            if (outcome == null || !outcome.isCompleted())
            {
                return;
            }
            bestRun = outcome.e2eNanos() < shortest ? run : bestRun;
            shortest = Math.min(shortest, outcome.e2eNanos());
        }
        for (int run = 0; run < runs.size(); run++)
        {
            final long nanos = runs.get(run).request(first.requestId()).e2eNanos() - shortest;
            best[run] += nanos == 0 ? 1 : 0;
            lost.get(run).addLong(nanos);
            if (nanos > 0)
            {
                keep(run, first.requestId(), nanos, bestRun);
            }
        }
    }

    private void keep(final int run, final long requestId, final long nanos, final int bestRun)
    {
        final PriorityQueue<RegrettedPlacement> kept = worst.get(run);
        if (kept.size() == MOST_WORST && kept.peek().lostNanos() >= nanos)
        {
            return;
        }
        final ScoreTable table = runs.get(run).placements().of(requestId);
        kept.add(new RegrettedPlacement(requestId, runs.get(run).request(requestId).rank(0), nanos, names.get(bestRun),
            runs.get(bestRun).request(requestId).rank(0), table == null ? Double.NaN : scoreGivenAway(table),
            table == null ? FoldedMatches.NOT_RECORDED : table.tokensGivenAway()));
        if (kept.size() > MOST_WORST)
        {
            kept.poll();
        }
    }

    private static double scoreGivenAway(final ScoreTable table)
    {
        double lowest = Double.POSITIVE_INFINITY;
        double chosen = Double.NaN;
        for (final Candidate candidate : table.candidates())
        {
            lowest = Math.min(lowest, candidate.score());
            chosen = candidate.rank() == table.rank() ? candidate.score() : chosen;
        }
        return chosen == lowest ? 0.0 : chosen - lowest;
    }
}
