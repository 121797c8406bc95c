// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;
import io.signalbox.router.Relax;

import java.util.Random;

/** Random batches as admission lets them through. */
final class TrialBatches
{
    /** A small cap of requests per rank, so that many batches meet it. */
    static final int MAX_ACTIVE = 6;
    private static final long MUCH = 1L << 40;

    private TrialBatches()
    {
    }

    /**
     * Replaces ranks and requests of the batch; equal states of {@code random} give equal batches. There are no more
     * requests than the ranks have room for.
     */
    static void fill(final PlacementBatchWriter writer, final Random random)
    {
        final int ranks = writer.batch().ranks();
        int room = 0;
        writer.clear();
        for (int rank = 0; rank < ranks; rank++)
        {
            final boolean lost = random.nextInt(8) == 0;
            final int active = lost ? 0 : random.nextInt(writer.batch().maxActive() + 1);
            writer.rank(rank, active, lost);
            writer.figure(rank, RankFigure.PROMPT_TOKENS, active * (long)random.nextInt(1000));
            writer.figure(rank, RankFigure.UNCACHED_TOKENS, active * (long)random.nextInt(1000));
            writer.figure(rank, RankFigure.PENDING_PREFILL_TOKENS, active * (long)random.nextInt(1000));
            writer.figure(rank, RankFigure.CONTEXT_TOKENS, active * (long)random.nextInt(1000));
            writer.figure(rank, RankFigure.FREE_TOKENS, MUCH);
            writer.figure(rank, RankFigure.CACHED_TOKENS, random.nextInt(5000));
            room += lost ? 0 : writer.batch().maxActive() - active;
        }
        for (int i = random.nextInt(room + 1); i > 0; i--)
        {
            final int tokens = random.nextInt(4) == 0 ? random.nextInt(2) : random.nextInt(1000);
            final int hint = random.nextInt(4) == 0 ? random.nextInt(ranks) : PlacementBatch.NO_RANK;
            final Relax relax = hint == PlacementBatch.NO_RANK ? Relax.NO_PARAMETERS : Relax.RELAXED;
            final int request = writer.add(random.nextLong(), random.nextInt(12) - 1, tokens, hint, relax);
            writer.matchedTokens(request, random.nextInt(ranks), random.nextInt(tokens + 1));
        }
    }
}
