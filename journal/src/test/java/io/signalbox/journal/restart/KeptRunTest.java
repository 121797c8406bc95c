// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalRetention;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.RetentionLimits;
import io.signalbox.journal.SmallRetention;
import io.signalbox.journal.UpkeepListener;
import io.signalbox.journal.Verification;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An engine whose journal is kept small while the engine runs: bounded, verified, continued, and never at its expense. */
final class KeptRunTest
{
    private static final JournalConfig SMALL =
        new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18).withSnapshotEvery(200);
    private static final RetentionLimits THREE = new RetentionLimits(Long.MAX_VALUE, 3, null);
    private static final int NEW_TOKENS = 9;
    private static final long UNSEEN_GROUPS = 1024;
    /** Three, those that two snapshots need, and a ring of groups. */
    private static final int MOST_SEGMENTS = 24;

    @TempDir
    private Path temporary;

    /** Collects what the thread beside the writer says. */
    private static final class Told implements UpkeepListener
    {
        private final Semaphore removals = new Semaphore(0);
        private final CountDownLatch failed = new CountDownLatch(1);
        private volatile String sentence;

        @Override
        public void onRemoval(final JournalRetention.Removal removal)
        {
            removals.release(removal.segments());
        }

        @Override
        public void onFailure(final String failure, final boolean continues)
        {
            sentence = failure;
            failed.countDown();
        }
    }

    private static Ask request(final int number)
    {
        final int[] prompt = new int[4 + number % 30];
        Arrays.setAll(prompt, i -> (i * 3 + number % 5) % ContentModel.VOCABULARY);
        return new Ask(prompt, NEW_TOKENS, 0, 0);
    }

    private static Incarnation open(final Path journal, final JournalConfig config, final Told told)
    {
        return new Incarnation(SmallRetention.prompt(new DirectoryJournal(journal, config)
            .withUpkeep(told, DpRouters.installed()), UNSEEN_GROUPS), Incarnation.config(2).build());
    }

    private static long segments(final Path journal) throws IOException
    {
        try (Stream<Path> files = Files.list(journal))
        {
            return files.filter(file -> file.getFileName().toString().matches("segment-\\d+")).count();
        }
    }

    /** Forty requests that end, whose rows are taken. */
    private static void serve(final Incarnation engine, final int from) throws Exception
    {
        final List<CompletionHandle> handles = new ArrayList<>();
        for (int i = from; i < from + 40; i++)
        {
            handles.add(engine.submit(request(i)));
        }
        engine.finish();
        for (int i = 0; i < handles.size(); i++)
        {
            assertArrayEquals(ContentModel.generated(request(from + i), NEW_TOKENS), handles.get(i).tokens());
            ContentModel.assertRows(request(from + i), NEW_TOKENS, Incarnation.rows(handles.get(i)));
        }
    }

    /** Returns the requests that were served. */
    private static int serveUntilRemoved(
        final Incarnation engine, final Told told, final int from, final int segments) throws Exception
    {
        int served = from;
        // The thread beside the engine has much more time than the engine, so that it catches up on any machine.
        while (!told.removals.tryAcquire(segments, 150, TimeUnit.MILLISECONDS))
        {
            serve(engine, served);
            served += 40;
            assertTrue(served < 200_000, () -> "never removed: " + told.sentence);
        }
        return served;
    }

    @Test
    void shouldKeepTheDirectoryBoundedWhileTheEngineRuns() throws Exception
    {
        final Path journal = temporary.resolve("journal");
        final Told told = new Told();
        int served = 0;
        try (Incarnation engine = open(journal, SMALL.withRetention(THREE), told))
        {
            served = serveUntilRemoved(engine, told, served, 20);
            // The thread is behind the engine by what the machine allows, and catches up.
            while (segments(journal) > MOST_SEGMENTS)
            {
                served = serveUntilRemoved(engine, told, served, 1);
            }
        }
        assertNull(told.sentence);
        final long left = segments(journal);
        final long first = JournalRetention.firstRecord(journal);
        assertTrue(first > 1_000, "begins at " + first);
        final Verification found = JournalVerifier.verifyKept(journal, DpRouters.installed(), ReadProgress.NONE);
        assertTrue(found.matches(), String.valueOf(found.difference()));
        assertTrue(found.begunAt() >= first);
        try (Incarnation engine = open(journal, SMALL.withRetention(THREE), told))
        {
            serve(engine, served);
        }
        assertTrue(segments(journal) <= left + 4, left + " became " + segments(journal));
        assertTrue(JournalVerifier.verifyKept(journal, DpRouters.installed(), ReadProgress.NONE).matches());
    }

    /** Nothing is lost that nobody asked to lose: without settings no snapshot, and every segment. */
    @Test
    void shouldKeepEverythingByDefault() throws Exception
    {
        final Path journal = temporary.resolve("journal");
        try (Incarnation engine =
            open(journal, new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18), new Told()))
        {
            for (int i = 0; i < 8; i++)
            {
                serve(engine, 40 * i);
            }
        }
        assertFalse(Files.exists(journal.resolve("snapshots")));
        assertTrue(segments(journal) > 3);
        assertEquals(0, JournalRetention.firstRecord(journal));
    }

    /** A snapshot that cannot be written costs the run nothing; the listener learns of it, and it is tried again. */
    @Test
    void shouldGoOnIfSnapshotsCannotBeWritten() throws Exception
    {
        final Path journal = temporary.resolve("journal");
        final Told told = new Told();
        try (Incarnation engine = open(journal, SMALL.withRetention(THREE), told))
        {
            Files.writeString(journal.resolve("snapshots"), "in the way");
            serve(engine, 0);
            serve(engine, 40);
            assertTrue(told.failed.await(60, TimeUnit.SECONDS), "no failure was received");
            assertTrue(told.sentence.contains("snapshots"), told.sentence);
            Files.delete(journal.resolve("snapshots"));
            serveUntilRemoved(engine, told, 80, 1);
        }
        assertTrue(JournalVerifier.verifyKept(journal, DpRouters.installed(), ReadProgress.NONE).matches());
    }

    /** A reader of this process is in the first segment: it stays until the reader is closed. */
    @Test
    void shouldWaitForAReaderOfThisProcess() throws Exception
    {
        final Path journal = temporary.resolve("journal");
        final Told told = new Told();
        try (Incarnation engine = open(journal, SMALL.withRetention(THREE), told))
        {
            serve(engine, 0);
            int served = 40;
            try (JournalReader reader = JournalReader.open(journal))
            {
                assertTrue(reader.next());
                while (segments(journal) < 9)
                {
                    serve(engine, served);
                    served += 40;
                }
                assertEquals(0, told.removals.availablePermits());
                assertEquals(0, JournalRetention.firstRecord(journal));
            }
            serveUntilRemoved(engine, told, served, 1);
        }
    }
}
