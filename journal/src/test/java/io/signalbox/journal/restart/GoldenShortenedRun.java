// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.ReplayFollower;
import io.signalbox.journal.SmallRetention;
import io.signalbox.journal.SnapshotFollower;
import io.signalbox.router.DpRouters;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The program that wrote the golden journal without its oldest segments: later builds continue it from its snapshots. */
final class GoldenShortenedRun
{
    static final JournalConfig SMALL = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18);
    static final int NEW_TOKENS = 5;
    private static final int ENGINES = 9;
    private static final int REQUESTS = 40;
    /** Requests of each engine that have not ended when it is closed. */
    private static final int OPEN = 7;
    private static final long UNSEEN_GROUPS = 64;

    private GoldenShortenedRun()
    {
    }

    /** @param arguments a directory that does not exist: the journal. */
    public static void main(final String[] arguments) throws Exception
    {
        final Path journal = Path.of(arguments[0]);
        long submitted = 0;
        for (int i = 1; i <= ENGINES; i++)
        {
            final Incarnation engine = open(journal);
            final List<CompletionHandle> handles = new ArrayList<>(engine.resumed());
            for (int k = 0; k < REQUESTS; k++)
            {
                handles.add(submit(engine, ++submitted));
            }
            engine.finish();
            for (final CompletionHandle handle : handles)
            {
                Incarnation.rows(handle);
            }
            for (int k = 0; k < OPEN; k++)
            {
                submit(engine, ++submitted);
            }
            engine.turn(5);
            engine.close();
            shorten(journal);
        }
    }

    /** Ids count from 1, and the id of a request says what it asks for. */
    static CompletionHandle submit(final Incarnation engine, final long id)
    {
        final CompletionHandle handle = engine.submit(request(id));
        assertEquals(id, handle.requestId());
        return handle;
    }

    static Incarnation open(final Path journal)
    {
        return new Incarnation(new DirectoryJournal(journal, SMALL), Incarnation.config(2).build());
    }

    static void shorten(final Path journal)
    {
        new SnapshotFollower(journal, 200, 16).follow(ReadProgress.NONE);
        new ReplayFollower(journal, 200, DpRouters.installed()).follow(ReadProgress.NONE);
        System.out.println(SmallRetention.apply(journal, UNSEEN_GROUPS));
    }

    static Ask request(final long id)
    {
        final int[] prompt = new int[4 + (int)(id % 30)];
        Arrays.setAll(prompt, i -> (i * 3 + (int)(id % 5)) % ContentModel.VOCABULARY);
        return new Ask(prompt, NEW_TOKENS, 0, 0);
    }
}
