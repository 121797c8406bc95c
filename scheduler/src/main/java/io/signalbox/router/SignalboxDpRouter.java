// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/**
 * Signalbox's own score, in prefill tokens: how long the request would wait for its first token on the rank, and what its
 * placement there costs everybody else. See {@code docs/routers.md} for how its weights were found.
 *
 * <pre>
 *   delay = (pending + T - matched) * (1 + rowWeight * active + contextWeight * context)
 *   score = delay + reuseWeight * (T - matched)
 * </pre>
 *
 * <p>{@code pending} are the prompt tokens that the rank still has to compute: it shrinks with every step, and does not
 * count what was cached. The step that computes them also decodes the rank's other requests, so the delay grows with
 * these. The second term is the work itself, wherever it is done: what is computed twice takes the place of a prefix that
 * somebody could have used, and the time of a rank that somebody waits for. No term depends on the number of ranks.
 */
public final class SignalboxDpRouter extends ScoredDpRouter
{
    private final double rowWeight;
    private final double contextWeight;
    private final double reuseWeight;

    private final double backlog;

    public SignalboxDpRouter(
        final double rowWeight, final double contextWeight, final double reuseWeight, final double backlog)
    {
        this.backlog = backlog;
        this.rowWeight = rowWeight;
        this.contextWeight = contextWeight;
        this.reuseWeight = reuseWeight;
    }

    @Override
    public boolean readsMatches()
    {
        return true;
    }

    @Override
    public RouterPolicy policy()
    {
        return RouterPolicy.SIGNALBOX;
    }

    @Override
    RankFigure load()
    {
        return RankFigure.PENDING_PREFILL_TOKENS;
    }

    @Override
    long addedLoad(final PlacementBatch batch, final int request, final int rank)
    {
        return newWork(batch, request, rank);
    }

    @Override
    public boolean keepsOrder()
    {
        return true;
    }

    @Override
    boolean isOpen(final PlacementBatch batch, final int request, final int rank)
    {
        if (!batch.hasRoom(rank)) return false;
        if (batch.activeRequests(rank) == 0) return true;
        final long pending = batch.loadTokens(rank);
        return pending <= backlog && batch.figure(rank, RankFigure.FREE_TOKENS) - pending >= newWork(batch, request, rank);
    }

    @Override
    double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double newWork = newWork(batch, request, rank);
        final double slowdown = 1.0 + rowWeight * batch.activeRequests(rank) +
            contextWeight * batch.figure(rank, RankFigure.CONTEXT_TOKENS);
        final double delay = (batch.loadTokens(rank) + newWork) * slowdown;
        final double score = delay + reuseWeight * newWork;
        batch.candidate(request, rank, score, newWork, delay, batch.matchedTokens(request, rank));
        return score;
    }

    /** At least one token, which every request computes: a rank that has the whole prompt is not free of charge. */
    private static int newWork(final PlacementBatch batch, final int request, final int rank)
    {
        return Math.max(1, batch.promptTokens(request) - batch.matchedTokens(request, rank));
    }
}
