// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.GoldenJournal;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.KilledCopy;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.ReplayFollower;
import io.signalbox.journal.SmallRetention;
import io.signalbox.journal.SnapshotFollower;
import io.signalbox.journal.Verification;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Engines continue a run whose old segments were removed, as if they were there. */
final class ShortenedRunTest
{
    private static final JournalConfig SMALL = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18);
    private static final int NEW_TOKENS = 9;
    /** As many as the ring of groups has slots. */
    private static final long UNSEEN_GROUPS = 1024;

    @TempDir
    private Path temporary;
    private final Map<Long, Ask> asked = new HashMap<>();
    private final Set<Long> taken = new HashSet<>();

    private static Ask request(final int number)
    {
        final int[] prompt = new int[4 + number % 30];
        Arrays.setAll(prompt, i -> (i * 3 + number % 5) % ContentModel.VOCABULARY);
        return new Ask(prompt, NEW_TOKENS, 0, 0);
    }

    private static void snapshots(final Path journal)
    {
        final SnapshotFollower states = new SnapshotFollower(journal, 200, 16);
        final ReplayFollower schedulers = new ReplayFollower(journal, 200, DpRouters.installed());
        try
        {
            states.follow(ReadProgress.NONE);
            schedulers.follow(ReadProgress.NONE);
        }
        catch (final JournalException e)
        {
            assertEquals(Kind.TORN_TAIL, e.kind());
        }
    }

    /** A request that is handed out again has every token from its first one on, and its rows. */
    private void assertWhole(final List<CompletionHandle> handles) throws Exception
    {
        for (final CompletionHandle handle : handles)
        {
            final Ask ask = asked.get(handle.requestId());
            assertArrayEquals(ContentModel.generated(ask, NEW_TOKENS), handle.tokens(), "request " + handle.requestId());
            if (taken.add(handle.requestId()))
            {
                ContentModel.assertRows(ask, NEW_TOKENS, Incarnation.rows(handle));
            }
        }
    }

    @Test
    void shouldContinueARunWhoseOldSegmentsWereRemoved() throws Exception
    {
        Path journal = temporary.resolve("journal-0");
        int removed = 0;
        for (int i = 1; i <= 24; i++)
        {
            final List<CompletionHandle> open = new ArrayList<>();
            final Incarnation engine =
                new Incarnation(new DirectoryJournal(journal, SMALL), Incarnation.config(2).build());
            open.addAll(engine.resumed());
            for (int k = 0; k < 40; k++)
            {
                final Ask ask = request(asked.size());
                final CompletionHandle handle = engine.submit(ask);
                assertNull(asked.put(handle.requestId(), ask), "an id is given once");
                open.add(handle);
            }
            engine.finish();
            assertWhole(open);
            for (int k = 0; k < 5; k++)
            {
                final Ask ask = request(asked.size());
                assertNull(asked.put(engine.submit(ask).requestId(), ask));
            }
            engine.turn(3 + i % 5);
            if (i % 3 == 0)
            {
                engine.close();
            }
            else
            {
                journal = KilledCopy.of(journal, temporary.resolve("journal-" + i));
            }
            snapshots(journal);
            removed += SmallRetention.apply(journal, UNSEEN_GROUPS).segments();
        }
        assertTrue(removed > 10, "removed " + removed);
        final Verification found = JournalVerifier.verifyKept(journal, DpRouters.installed(), ReadProgress.NONE);
        assertTrue(found.matches(), String.valueOf(found.difference()));
    }

    /** The journal and its snapshots are of the build that introduced the form of the scheduler's state. */
    @Test
    void shouldContinueARunThatAnEarlierBuildShortened() throws Exception
    {
        final Path journal = GoldenJournal.unpack("version-5-shortened", temporary);
        final Verification found = JournalVerifier.verifyKept(journal, DpRouters.installed(), ReadProgress.NONE);
        assertTrue(found.matches(), String.valueOf(found.difference()));
        assertEquals(1600, found.begunAt());

        final List<CompletionHandle> handles;
        try (Incarnation engine = GoldenShortenedRun.open(journal))
        {
            // The journal is shorter than an engine keeps one for clients that have not seen an end.
            handles = new ArrayList<>(engine.resumed().stream().filter(handle -> !handle.isDone()).toList());
            final long newest = engine.resumed().stream().mapToLong(CompletionHandle::requestId).max().orElseThrow();
            handles.add(GoldenShortenedRun.submit(engine, newest + 1));
            engine.finish();
            for (final CompletionHandle handle : handles)
            {
                final Ask ask = GoldenShortenedRun.request(handle.requestId());
                assertArrayEquals(ContentModel.generated(ask, ask.maxNewTokens()), handle.tokens());
            }
            for (final CompletionHandle handle : handles)
            {
                ContentModel.assertRows(GoldenShortenedRun.request(handle.requestId()), GoldenShortenedRun.NEW_TOKENS,
                    Incarnation.rows(handle));
            }
        }
        assertTrue(handles.size() > 1);
        assertTrue(JournalVerifier.verifyKept(journal, DpRouters.installed(), ReadProgress.NONE).matches());
    }
}
