// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A series of random batches, the same for the same seed, and the decisions of a router on them. */
final class RouterPlay
{
    private static final int BATCHES = 20;

    private final long seed;
    private final boolean matches;

    /** @param matches whether requests match prefixes; if false, the batches are the same apart from that. */
    RouterPlay(final long seed, final boolean matches)
    {
        this.seed = seed;
        this.matches = matches;
    }

    /** Returns one line per decision, in the order of the decisions. */
    List<String> play(final DpRouter router, final int ranks)
    {
        final Random random = new Random(seed);
        final PlacementBatchWriter writer = new PlacementBatchWriter(ranks, TrialBatches.MAX_ACTIVE);
        final List<String> decisions = new ArrayList<>();
        for (int i = 0; i < BATCHES; i++)
        {
            TrialBatches.fill(writer, random);
            final PlacementBatch batch = writer.batch();
            for (int request = 0; !matches && request < batch.count(); request++)
            {
                for (int rank = 0; rank < ranks; rank++)
                {
                    writer.matchedTokens(request, rank, 0);
                }
            }
            router.place(batch);
            for (int decision = 0; decision < batch.decisions(); decision++)
            {
                final int request = batch.decision(decision);
                decisions.add("batch " + i + ": request " + request + " on rank " + batch.chosenRank(request));
            }
        }
        return decisions;
    }
}
