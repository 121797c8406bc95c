// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.state.FoldedMatches;

import java.util.Arrays;
import java.util.List;

/** Score and cached prompt tokens that the placements of a run lost, by their score tables and the caches of ranks. */
final class PlacementRegret
{
    private long placements;
    private long notLowest;
    private double score;
    private long lessCached;
    private long tokens;
    private boolean isKnown = true;

    /** The candidates of one placement. */
    static final class Table
    {
        private int candidates;
        private double lowest = Double.POSITIVE_INFINITY;
        private double chosen = Double.NaN;
        private int mostMatched;
        private int chosenMatched;
        /** Ranks whose matches count in addition to the candidates. */
        private int ranks;
        private boolean isKnown = true;

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

        /**
         * Replaces the matches of the candidates by the matches of all ranks.
         *
         * @param matchedTokens by rank; {@code null} if unknown.
         */
        void matches(final int[] matchedTokens, final int rank)
        {
            isKnown = matchedTokens != null;
            ranks = isKnown ? matchedTokens.length : candidates;
            mostMatched = isKnown ? Arrays.stream(matchedTokens).max().orElse(0) : 0;
            chosenMatched = isKnown ? matchedTokens[rank] : 0;
        }

        /** Additional cached prompt tokens of another rank; {@link FoldedMatches#NOT_RECORDED} if unknown. */
        int tokensGivenAway()
        {
            return isKnown ? mostMatched - chosenMatched : FoldedMatches.NOT_RECORDED;
        }
    }

    /** A placement without a choice counts for nothing. */
    void add(final Table table)
    {
        if (Math.max(table.candidates, table.ranks) < 2 || Double.isNaN(table.chosen))
        {
            return;
        }
        placements++;
        isKnown &= table.isKnown;
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
        return new WhatIfReport.Regret(placements, notLowest, score, isKnown ? lessCached : FoldedMatches.NOT_RECORDED,
            isKnown ? tokens : FoldedMatches.NOT_RECORDED, best, hindsight, worst);
    }
}
