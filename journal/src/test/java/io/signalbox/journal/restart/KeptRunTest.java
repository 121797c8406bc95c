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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
    private static final RetentionLimits THREE = RetentionLimits.NONE.withMostSegments(3);
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
        private final List<String> sentences = new CopyOnWriteArrayList<>();
        private volatile String sentence;

        @Override
        public void onRemoval(final UpkeepListener.Removal removal)
        {
            removals.release(removal.segments());
        }

        @Override
        public void onFailure(final String failure, final boolean continues)
        {
            sentence = failure;
            sentences.add(continues + " " + failure);
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

    /** A change of the files of a run, which is taken back. */
    private enum Obstacle
    {
        FOREIGN_FILE("holds notes.txt, which is no file of a segment; take that file away")
        {
            @Override
            void put(final Path journal, final Path aside) throws IOException
            {
                Files.writeString(journal.resolve(OLDEST).resolve("notes.txt"), "mine");
            }

            @Override
            void takeAway(final Path journal, final Path aside) throws IOException
            {
                Files.delete(journal.resolve(OLDEST).resolve("notes.txt"));
            }
        },
        NO_SEGMENT("segment-00000 at byte 0, record 0: the segment is missing")
        {
            @Override
            void put(final Path journal, final Path aside) throws IOException
            {
                Files.move(journal.resolve(OLDEST), aside);
            }

            @Override
            void takeAway(final Path journal, final Path aside) throws IOException
            {
                Files.move(aside, journal.resolve(OLDEST));
            }
        },
        FILE_IN_ITS_PLACE("segment-00000 is not a directory, as a segment is")
        {
            @Override
            void put(final Path journal, final Path aside) throws IOException
            {
                Files.move(journal.resolve(OLDEST), aside);
                Files.writeString(journal.resolve(OLDEST), "in the way");
            }

            @Override
            void takeAway(final Path journal, final Path aside) throws IOException
            {
                Files.delete(journal.resolve(OLDEST));
                Files.move(aside, journal.resolve(OLDEST));
            }
        },
        DIRECTORY_IN_THE_WAY("beginning.copy.part: it is a directory that is not empty")
        {
            @Override
            void put(final Path journal, final Path aside) throws IOException
            {
                Files.createDirectories(journal.resolve("beginning.copy.part/full"));
            }

            @Override
            void takeAway(final Path journal, final Path aside) throws IOException
            {
                // In one step: the journal itself removes a directory of this name once it is empty, and puts a file there.
                Files.move(journal.resolve("beginning.copy.part"), aside);
            }
        };

        private static final String OLDEST = "segment-00000";

        private final String sentence;

        Obstacle(final String sentence)
        {
            this.sentence = sentence;
        }

        abstract void put(Path journal, Path aside) throws IOException;

        abstract void takeAway(Path journal, Path aside) throws IOException;
    }

    /** Serves with a reader in the first segment, which keeps it there, and returns the requests that were served. */
    private static int serveBeside(final Incarnation engine, final Path journal, final Change change) throws Exception
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
            change.make();
        }
        return served;
    }

    /** Something that is done to a directory. */
    @FunctionalInterface
    private interface Change
    {
        void make() throws Exception;
    }

    /** A condition that comes true while an engine serves. */
    @FunctionalInterface
    private interface Condition
    {
        boolean holds() throws Exception;
    }

    /** Returns the requests that were served. */
    private static int serveUntil(
        final Incarnation engine, final Told told, final int from, final Condition condition) throws Exception
    {
        int served = from;
        while (!condition.holds())
        {
            serve(engine, served);
            served += 40;
            assertTrue(served < 200_000, () -> "never: " + told.sentences);
        }
        return served;
    }

    private static boolean hasFailed(final Told told) throws InterruptedException
    {
        return told.failed.await(150, TimeUnit.MILLISECONDS);
    }

    /** The run continues, the obstacle is named once, and without it segments go again. */
    @ParameterizedTest
    @EnumSource
    void shouldGoOnWhateverIsInTheWay(final Obstacle obstacle) throws Exception
    {
        final Path journal = temporary.resolve("journal");
        final Path aside = temporary.resolve("aside");
        final Told told = new Told();
        try (Incarnation engine = open(journal, SMALL.withRetention(THREE), told))
        {
            int served = serveBeside(engine, journal, () -> obstacle.put(journal, aside));
            served = serveUntil(engine, told, served, () -> hasFailed(told));
            assertEquals(0, told.removals.availablePermits());
            for (int i = 0; i < 4; i++, served += 40)
            {
                serve(engine, served);
            }
            assertTrue(told.sentences.size() == 1 && told.sentence.contains(obstacle.sentence), told.sentences::toString);
            obstacle.takeAway(journal, aside);
            serveUntilRemoved(engine, told, served, 1);
        }
        assertTrue(told.sentences.stream().allMatch(sentence -> sentence.startsWith("true ")), told.sentences::toString);
        assertTrue(JournalVerifier.verifyKept(journal, DpRouters.installed(), ReadProgress.NONE).matches());
    }

    /** A real disk under the snapshots is full, then read-only. */
    @Test
    void shouldGoOnIfTheDiskOfItsSnapshotsIsFullOrReadOnly() throws Exception
    {
        final Path journal = temporary.resolve("journal");
        final Told told = new Told();
        final Incarnation engine = open(journal, SMALL.withRetention(THREE), told);
        // The engine is closed first: a file that is being written would keep the disk mounted.
        try (SmallDisk disk = SmallDisk.over(Files.createDirectory(journal.resolve("snapshots")), 8); engine)
        {
            disk.fill();
            int served = serveUntil(engine, told, 0, () -> hasFailed(told));
            assertTrue(told.sentence.contains("has no room for the next"), told.sentence);
            for (int i = 0; i < 4; i++, served += 40)
            {
                serve(engine, served);
            }
            assertEquals(1, told.sentences.size(), told.sentences::toString);
            disk.free();
            served = serveUntilRemoved(engine, told, served, 1);
            served = serveUntil(engine, told, served, () -> disk.remount("ro"));
            served = serveUntil(engine, told, served, () -> told.sentences.size() == 2);
            assertTrue(told.sentence.contains("is read-only"), told.sentence);
            assertTrue(disk.remount("rw"));
            told.removals.drainPermits();
            serveUntilRemoved(engine, told, served, 1);
        }
        catch (final TestAbortedException e)
        {
            engine.close();
            throw e;
        }
        // A removal and a snapshot may both have met the read-only disk; each is told once.
        assertTrue(told.sentences.size() == 2 || told.sentences.size() == 3, told.sentences::toString);
        assertTrue(told.sentences.stream().skip(1).allMatch(sentence -> sentence.contains("is read-only")),
            told.sentences::toString);
    }

    /** One segment cannot be removed: the ones behind it are. */
    @Test
    void shouldRemoveTheOthersIfOneSegmentStays() throws Exception
    {
        final Path journal = temporary.resolve("journal");
        final Path oldest = journal.resolve("segment-00000");
        final Told told = new Told();
        final SmallDisk[] pinned = new SmallDisk[1];
        try (Incarnation engine = open(journal, SMALL.withRetention(THREE), told))
        {
            int served = serveBeside(engine, journal, () -> pinned[0] = SmallDisk.pinned(oldest));
            final Path next = journal.resolve("segment-00001");
            served = serveUntil(engine, told, served,
                () -> hasFailed(told) && !Files.exists(next) && told.removals.availablePermits() > 0);
            assertTrue(told.sentence.contains("segment-00000 cannot be removed: "), told.sentence);
            pinned[0].close();
            served = serveUntil(engine, told, served, () -> !Files.exists(oldest));
            assertEquals(1, told.sentences.size(), told.sentences::toString);
        }
        finally
        {
            if (pinned[0] != null)
            {
                pinned[0].close();
            }
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
            final int served = serveBeside(engine, journal, () ->
            {
                assertEquals(0, told.removals.availablePermits());
                assertEquals(0, JournalRetention.firstRecord(journal));
            });
            serveUntilRemoved(engine, told, served, 1);
        }
    }
}
