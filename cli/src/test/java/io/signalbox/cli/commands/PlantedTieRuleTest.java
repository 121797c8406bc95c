// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.config.SettingValues;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.Verification;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RankFigure;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.TieRule;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Verification finds a build with one inverted tie rule at the first decision that it changes. */
class PlantedTieRuleTest
{
    /** Declares the planted router under the label of the one that it replaces. */
    private static final class Planted extends DpRouterProvider
    {
        private Planted()
        {
            super("default", 1, "The default router with a planted fault.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new HighestRankWins();
        }
    }

    /** The default router for single requests, except that ties go to the highest rank. */
    private static final class HighestRankWins implements DpRouter
    {
        @Override
        public boolean readsMatches()
        {
            return false;
        }

        @Override
        public long digest()
        {
            return 0;
        }

        @Override
        public void place(final PlacementBatch batch)
        {
            batch.loadFrom(RankFigure.PROMPT_TOKENS);
            batch.target((batch.count() + totalActive(batch) + batch.ranks() - 1) / batch.ranks());
            for (int rank = 0; rank < batch.ranks(); rank++)
            {
                batch.target(Math.max(batch.target(), batch.activeRequests(rank)));
            }
            for (int request = 0; request < batch.count(); request++)
            {
                place(batch, request);
            }
        }

        private static int totalActive(final PlacementBatch batch)
        {
            int active = 0;
            for (int rank = 0; rank < batch.ranks(); rank++)
            {
                active += batch.activeRequests(rank);
            }
            return active;
        }

        private static void place(final PlacementBatch batch, final int request)
        {
            int best = PlacementBatch.NO_RANK;
            int tied = 0;
            for (int rank = 0; rank < batch.ranks(); rank++)
            {
                if (!batch.hasRoom(rank) || batch.activeRequests(rank) >= batch.target())
                {
                    continue;
                }
                final long load = batch.loadTokens(rank);
                batch.candidate(request, rank, load, batch.promptTokens(request), load, 0);
                tied = best >= 0 && load == batch.loadTokens(best) ? tied + 1 :
                    best < 0 || load < batch.loadTokens(best) ? 0 : tied;
                best = best < 0 || load <= batch.loadTokens(best) ? rank : best;
            }
            if (best != PlacementBatch.NO_RANK)
            {
                batch.choose(request, best, batch.promptTokens(request),
                    tied == 0 ? TieRule.NONE : TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK);
            }
        }
    }

    /** A scheduler with the planted router. */
    static Scheduler planted(final SchedulerConfig config)
    {
        return new Scheduler(config.toBuilder().router(RouterConfig.of(new Planted())).build());
    }

    @TempDir
    private Path directory;

    @Test
    void shouldStopAtTheFirstPlacementThatATieDecided()
    {
        final Path journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of(
            "simulate", "--conversations", "5", "--ranks", "4", "--router", "default", "--journal", journal.toString());
        assertEquals(0, run.exitCode(), run.err());

        assertTrue(JournalVerifier.verify(journal, Scheduler::new).matches(), "the control");
        final Verification found = JournalVerifier.verify(journal, PlantedTieRuleTest::planted);

        assertFalse(found.matches());
        assertEquals(1, found.difference().message(), "the placement, straight after the Wake");
        final String recorded = found.difference().recorded();
        assertTrue(recorded.contains("Placed"), recorded);
        assertTrue(recorded.contains("FEWEST_REQUESTS_THEN_LOWEST_RANK"), recorded);
        assertTrue(recorded.contains("rank=0"), recorded);
        assertTrue(found.difference().recomputed().contains("rank=3"), found.difference().recomputed());
        assertEquals(1, found.difference().requestId(), "the first request, on idle ranks");
    }
}
