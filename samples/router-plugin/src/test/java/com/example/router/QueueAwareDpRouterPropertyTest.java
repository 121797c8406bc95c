// SPDX-License-Identifier: Apache-2.0
package com.example.router;

import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.Relax;
import io.signalbox.router.RouterConfig;
import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;

class QueueAwareDpRouterPropertyTest
{
    private static final RouterConfig ROUTER = RouterConfig.of(new QueueAwareDpRouter.Provider());

    @Test
    void aLongerMatchNeverSendsARequestAway()
    {
        for (int seed = 0; seed < 1000; seed++)
        {
            final Random random = new Random(seed);
            final int[] active = random.ints(4, 0, 10).toArray();
            final int[] matched = random.ints(4, 0, 900).toArray();
            final int chosen = chosen(active, matched);
            matched[chosen] += 50;
            assertEquals(chosen, chosen(active, matched), "seed " + seed);
        }
    }

    private static int chosen(final int[] active, final int[] matched)
    {
        final PlacementBatchWriter batch = new PlacementBatchWriter(active.length, 64);
        for (int rank = 0; rank < active.length; rank++)
        {
            batch.rank(rank, active[rank], false);
        }
        batch.add(1, PlacementBatch.NO_CONVERSATION, 1000, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        for (int rank = 0; rank < active.length; rank++)
        {
            batch.matchedTokens(0, rank, matched[rank]);
        }
        ROUTER.router(active.length, true).place(batch.batch());
        return batch.batch().chosenRank(0);
    }
}
