// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.stats.RequestOutcome;
import org.agrona.collections.LongArrayList;

import java.util.ArrayList;
import java.util.List;

/**
 * The cost of each run's decisions in hindsight: the latency of a request less the shortest that it has in any run of the
 * question. Only requests that completed in all runs count.
 */
final class Hindsight
{
    private final List<RunOutcome> runs;
    private final List<LongArrayList> lost = new ArrayList<>();
    private final long[] best;

    private Hindsight(final List<RunOutcome> runs)
    {
        this.runs = runs;
        best = new long[runs.size()];
        runs.forEach(run -> lost.add(new LongArrayList()));
    }

    /** The regret of each run, in their order. */
    static List<WhatIfReport.Regret> of(final List<RunOutcome> runs)
    {
        final Hindsight hindsight = new Hindsight(runs);
        runs.get(0).requests().forEach(hindsight::add);
        final List<WhatIfReport.Regret> regrets = new ArrayList<>();
        for (int run = 0; run < runs.size(); run++)
        {
            regrets.add(runs.get(run).placements().regret().with(
                hindsight.best[run], Distributions.of(hindsight.lost.get(run))));
        }
        return regrets;
    }

    private void add(final RequestOutcome first)
    {
        long shortest = Long.MAX_VALUE;
        for (final RunOutcome run : runs)
        {
            final RequestOutcome outcome = run.request(first.requestId());
            if (outcome == null || !outcome.isCompleted())
            {
                return;
            }
            shortest = Math.min(shortest, outcome.e2eNanos());
        }
        for (int run = 0; run < runs.size(); run++)
        {
            final long nanos = runs.get(run).request(first.requestId()).e2eNanos() - shortest;
            best[run] += nanos == 0 ? 1 : 0;
            lost.get(run).addLong(nanos);
        }
    }
}
