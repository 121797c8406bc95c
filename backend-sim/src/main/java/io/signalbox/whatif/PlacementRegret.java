// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import java.util.List;

/** Score and cached prompt tokens that the placements of a run gave away by their own score tables. */
final class PlacementRegret
{
    private long placements;
    private long notLowest;
    private double score;
    private long lessCached;
    private long tokens;

    /** The candidates of one placement. */
    static final class Table
    {
        private int candidates;
        private double lowest = Double.POSITIVE_INFINITY;
        private double chosen = Double.NaN;
        private int mostMatched;
        private int chosenMatched;

        void add(final boolean isChosen, final double candidateScore, final int matchedTokens)
        {
            candidates++;
            lowest = Math.min(lowest, candidateScore);
            mostMatched = Math.max(mostMatched, matchedTokens);
            if (isChosen)
            {
                chosen = candidateScore;
                chosenMatched = matchedTokens;
            }
        }
    }

    /** A placement without a choice counts for nothing. */
    void add(final Table table)
    {
        if (table.candidates < 2 || Double.isNaN(table.chosen))
        {
            return;
        }
        placements++;
        if (table.chosen > table.lowest)
        {
            notLowest++;
            score += table.chosen - table.lowest;
        }
        lessCached += table.mostMatched > table.chosenMatched ? 1 : 0;
        tokens += table.mostMatched - table.chosenMatched;
    }

    /** @param hindsight latencies of requests less the shortest of all runs. */
    WhatIfReport.Regret with(
        final long best,
        final WhatIfReport.Distribution hindsight,
        final List<WhatIfReport.RegrettedPlacement> worst)
    {
        return new WhatIfReport.Regret(placements, notLowest, score, lessCached, tokens, best, hindsight, worst);
    }
}
