// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.event.codec.PlacedDecoder;
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
    private int candidates;

    /** Keeps the table of a request's first placement. */
    void onPlaced(final PlacedDecoder decision, final long timeNanos)
    {
        if (candidates >= MOST_CANDIDATES || tables.containsKey(decision.requestId()))
        {
            return;
        }
        final List<Candidate> rows = new ArrayList<>();
        for (final PlacedDecoder.CandidatesDecoder row : decision.candidates())
        {
            rows.add(new Candidate(row.rank(), row.score(), row.newWork(), row.loadTerm(), row.loadTokens(),
                row.matchedTokens(), row.activeRequests()));
        }
        rows.sort(Comparator.comparingInt(Candidate::rank));
        candidates += 1 + rows.size();
        tables.put(decision.requestId(), new ScoreTable(timeNanos, decision.rank(), decision.tieRule(), List.copyOf(rows)));
    }

    /** {@code null} if the request was not placed, or if the table was not kept. */
    ScoreTable of(final long requestId)
    {
        return tables.get(requestId);
    }
}
