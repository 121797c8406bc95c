// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.router.TieRule;
import io.signalbox.state.FoldedMatches;
import io.signalbox.whatif.WhatIfReport.Candidate;
import io.signalbox.whatif.WhatIfReport.ScoreTable;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The score tables of a run's placements, of the first ones as far as they fit. */
final class PlacementLog
{
    /** Bounds the memory: 100 bytes each. */
    private static final int MOST_CANDIDATES = 400_000;

    private final Long2ObjectHashMap<ScoreTable> tables = new Long2ObjectHashMap<>();
    private final PlacementRegret regret = new PlacementRegret();
    private int candidates;

    /**
     * Counts a placement, and keeps the table of a request's first placement.
     *
     * @param folded matches of all ranks if the event has no matches; {@code null} if they are unknown.
     */
    void onPlaced(final PlacedDecoder decision, final long timeNanos, final int[] folded)
    {
        final boolean isKept = candidates < MOST_CANDIDATES && !tables.containsKey(decision.requestId());
        final PlacementRegret.Table table = new PlacementRegret.Table();
        final List<Candidate> rows = new ArrayList<>();
        for (final PlacedDecoder.CandidatesDecoder row : decision.candidates())
        {
            final int matched = FoldedMatches.of(decision, row, folded);
            table.add(row.rank() == decision.rank(), row.score(), matched);
            if (isKept)
            {
                rows.add(candidate(row, matched));
            }
        }
        if (decision.matchesRead() == Flag.NO)
        {
            table.matches(folded, decision.rank());
        }
        regret.add(table);
        if (!isKept)
        {
            return;
        }
        rows.sort(Comparator.comparingInt(Candidate::rank));
        candidates += 1 + rows.size();
        tables.put(decision.requestId(), new ScoreTable(
            timeNanos, decision.rank(), TieRule.valueOf(decision.tieRule().name()), table.tokensGivenAway(),
            List.copyOf(rows)));
    }

    private static Candidate candidate(final PlacedDecoder.CandidatesDecoder row, final int matchedTokens)
    {
        return new Candidate(row.rank(), row.score(), row.newWork(), row.loadTerm(), row.loadTokens(),
            matchedTokens, row.activeRequests());
    }

    PlacementRegret regret()
    {
        return regret;
    }

    /** {@code null} if the request was not placed, or if the table was not kept. */
    ScoreTable of(final long requestId)
    {
        return tables.get(requestId);
    }
}
