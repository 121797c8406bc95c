// SPDX-License-Identifier: Apache-2.0
package com.example.experiment;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.ScoredDpRouter;

/** The power of two choices: the emptier of two ranks that the conversation decides; the others if both are much fuller. */
public final class TwoChoicesDpRouter extends ScoredDpRouter
{
    private static final Setting<Double> PATIENCE = Setting.weight("patience", 8.0,
        "Requests by which both ranks of a conversation may exceed another one.");

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("two-choices", 1, "Requests, among two ranks of the conversation.", PATIENCE);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new TwoChoicesDpRouter(values.get(PATIENCE));
        }
    }

    private final double patience;

    TwoChoicesDpRouter(final double patience)
    {
        this.patience = patience;
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final long conversation = batch.conversationId(request);
        final long key = conversation == PlacementBatch.NO_CONVERSATION ? batch.requestId(request) : conversation;
        final double others = isChoice(key, rank, batch.ranks()) ? 0 : patience;
        final double requests = batch.activeRequests(rank);
        batch.candidate(request, rank, requests + others, requests, others, batch.matchedTokens(request, rank));
        return requests + others;
    }

    private static boolean isChoice(final long key, final int rank, final int ranks)
    {
        final long hash = key * 0x9E3779B97F4A7C15L;
        return rank == Math.floorMod(hash >>> 7, (long)ranks) || rank == Math.floorMod(hash >>> 37, (long)ranks);
    }
}
