// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.router.RouterConfig;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.RunRequest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Lists placements of requests on ranks in their order, or every candidate of each placement. */
public final class PlacementQuery extends JournalQuery
{
    private final boolean isByCandidate;
    private final Long requestId;
    private final int rank;
    private final TimeWindow window;
    private String router;
    private String fallback;

    /**
     * A row of {@code inspect placements JOURNAL --json}: a router's decision about a request.
     *
     * @param record        record of its group
     * @param timeNanos     logical time of the decision
     * @param request       the request
     * @param rank          the chosen rank
     * @param router        label of the router that decided
     * @param tieRule       the rule that broke a tie; {@code none} without a tie
     * @param gate          match gate: {@code none}, {@code open} or {@code closed}
     * @param candidates    ranks that were scored
     * @param score         score of the chosen rank, lower is better; {@code null} if nothing was scored
     * @param nextScore     best score of another rank; {@code null} if there is none
     * @param matchedTokens prompt tokens that the chosen rank had cached; {@code null} if the journal does not say
     * @param mostMatched   most prompt tokens that a candidate had cached; {@code null} if the journal does not say
     */
    @DocumentSchema("signalbox.inspect-placements/1")
    public record PlacementRow(
        long record,
        @JsonName("seconds") long timeNanos,
        long request,
        int rank,
        String router,
        String tieRule,
        String gate,
        long candidates,
        Double score,
        Double nextScore,
        Long matchedTokens,
        Long mostMatched)
    {
    }

    /**
     * A row of {@code inspect placements JOURNAL --show candidates --json}: a rank that a router scored for a request. The
     * terms {@code newWork}, {@code loadTerm} and {@code otherTerms} add up to the score.
     *
     * @param record         record of the placement
     * @param timeNanos      logical time of the placement
     * @param request        the request
     * @param rank           the candidate
     * @param chosen         1 if the request was placed on it, else 0
     * @param score          its score, lower is better
     * @param newWork        tokens to compute, as the router counts them
     * @param loadTerm       the load as it entered the score
     * @param otherTerms     the rest of the score, such as the cost of evictions
     * @param loadTokens     load in tokens, with earlier placements of the batch
     * @param matchedTokens  prompt tokens that the rank had cached; {@code null} if the journal does not say
     * @param matchUsed      the match as it entered the score, in tokens
     * @param activeRequests requests of the rank
     * @param deferredTokens tokens of the load that do not delay the request, as the router counts them
     * @param evictedTokens  cached tokens that the request would replace, as the router counts them
     */
    @DocumentSchema("signalbox.inspect-candidates/1")
    public record CandidateRow(
        long record,
        @JsonName("seconds") long timeNanos,
        long request,
        int rank,
        long chosen,
        double score,
        double newWork,
        double loadTerm,
        double otherTerms,
        long loadTokens,
        Long matchedTokens,
        long matchUsed,
        long activeRequests,
        long deferredTokens,
        long evictedTokens)
    {
    }

    /**
     * @param isByCandidate whether each candidate has a row.
     * @param requestId     {@code null}: any.
     * @param rank          the chosen rank, of candidates the candidate; -1: any.
     */
    public PlacementQuery(final boolean isByCandidate, final Long requestId, final int rank, final TimeWindow window)
    {
        this.isByCandidate = isByCandidate;
        this.requestId = requestId;
        this.rank = rank;
        this.window = window;
    }

    @Override
    boolean needsAll()
    {
        return false;
    }

    @Override
    void begin(final JournalReader journal)
    {
        requireRank(journal, rank);
        router = RouterConfig.label(journal.settings());
        fallback = RouterConfig.fallbackLabel(journal.settings());
    }

    @Override
    public Class<? extends Record> rowType()
    {
        return isByCandidate ? CandidateRow.class : PlacementRow.class;
    }

    /** Without the record, which {@code inspect events} asks for, and the terms that explain a score. */
    @Override
    public List<String> mainColumns()
    {
        return isByCandidate ? List.of("seconds", "request", "rank", "chosen", "score", "newWork", "loadTerm", "otherTerms",
            "matchedTokens", "activeRequests") : List.of("seconds", "request", "rank", "candidates", "score", "nextScore",
            "matchedTokens", "mostMatched", "tieRule", "router");
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        if (!window.has(nowNanos()) || requestId != null && requestId != decision.requestId() ||
            !isByCandidate && rank >= 0 && rank != decision.rank())
        {
            return;
        }
        final List<CandidateRow> candidates = new ArrayList<>();
        for (final PlacedDecoder.CandidatesDecoder row : decision.candidates())
        {
            final int matched = FoldedMatches.of(decision, row, null);
            candidates.add(new CandidateRow(record(), nowNanos(), decision.requestId(), row.rank(),
                row.rank() == decision.rank() ? 1 : 0, row.score(), row.newWork(), row.loadTerm(),
                row.score() - row.newWork() - row.loadTerm(), row.loadTokens(),
                matched == FoldedMatches.NOT_RECORDED ? null : (Long)(long)matched, row.matchUsed(), row.activeRequests(),
                row.deferredTokens(), row.evictedTokens()));
        }
        candidates.sort(Comparator.comparingInt(CandidateRow::rank));
        if (isByCandidate)
        {
            candidates.stream().filter(row -> rank < 0 || rank == row.rank).forEach(this::row);
        }
        else
        {
            row(placement(decision, candidates));
        }
    }

    private PlacementRow placement(final PlacedDecoder decision, final List<CandidateRow> candidates)
    {
        final CandidateRow chosen =
            candidates.stream().filter(row -> row.chosen == 1).findFirst().orElse(null);
        final Double next = candidates.stream().filter(row -> row.chosen == 0).map(CandidateRow::score)
            .min(Double::compare).orElse(null);
        final Long most = candidates.stream().map(CandidateRow::matchedTokens).filter(matched -> matched != null)
            .max(Long::compare).orElse(null);
        return new PlacementRow(record(), nowNanos(), decision.requestId(), decision.rank(),
            decision.decidedBy() == DecidingRouter.FALLBACK ? fallback : router, label(decision.tieRule()),
            label(decision.gate()), candidates.size(), chosen == null ? null : (Double)chosen.score, next,
            chosen == null ? null : chosen.matchedTokens, most);
    }
}
