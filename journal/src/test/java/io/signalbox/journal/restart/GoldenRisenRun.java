// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.KilledCopy;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.ScoredDpRouter;

import java.nio.file.Path;
import java.util.Arrays;

/** The program that wrote the golden journal of a run whose router has risen: killed, then continued and closed. */
final class GoldenRisenRun
{
    private static final JournalConfig SMALL = new JournalConfig(Durability.RECORD, 1 << 16, 1 << 18);
    private static final int REQUESTS = 12;
    private static final String LABEL = "signalbox";

    private GoldenRisenRun()
    {
    }

    /** Stands for version 1 of the router {@code signalbox}, which no build has any more: it takes turns. */
    private static final class EarlierVersion extends ScoredDpRouter
    {
        private long turn;

        private static final class Provider extends DpRouterProvider
        {
            private Provider()
            {
                super(LABEL, 1, "Takes turns.",
                    DpRouters.installed().of(LABEL).knobs().toArray(new Setting<?>[0]));
            }

            @Override
            public DpRouter create(final SettingValues values, final int ranks)
            {
                return new EarlierVersion();
            }
        }

        @Override
        protected double score(final PlacementBatch batch, final int request, final int rank)
        {
            final double score = (turn + rank) % batch.ranks();
            batch.candidate(
                request, rank, score, batch.uncachedTokens(request, rank), 0, batch.matchedTokens(request, rank));
            return score;
        }

        @Override
        protected void placed(final PlacementBatch batch, final int request, final int rank)
        {
            turn++;
        }

        @Override
        public long digest()
        {
            return turn;
        }
    }

    /** @param arguments a directory that does not exist, below which the journal is made. */
    public static void main(final String[] arguments) throws Exception
    {
        final Path directory = Path.of(arguments[0]);
        final Path first = directory.resolve("killed");
        final Incarnation killed = open(first, RouterConfig.of(new EarlierVersion.Provider()));
        submit(killed, 1);
        final Path journal = KilledCopy.of(first, directory.resolve("risen"));
        final Incarnation second = open(journal, RouterConfig.of(LABEL));
        submit(second, 1 + REQUESTS);
        second.finish();
        second.close();
        killed.close();
    }

    private static void submit(final Incarnation engine, final int first)
    {
        for (int number = first; number < first + REQUESTS; number++)
        {
            final int[] prompt = new int[6 + number * 7 % 30];
            final int topic = number % 3;
            Arrays.setAll(prompt, i -> (i * 3 + topic) % ContentModel.VOCABULARY);
            engine.submit(new Ask(prompt, 4 + number % 5, 0, 0));
            engine.turn(1);
        }
    }

    private static Incarnation open(final Path directory, final RouterConfig router)
    {
        return new Incarnation(
            new DirectoryJournal(directory, SMALL), Incarnation.config(2).kvBlocks(24).router(router).build());
    }
}
