// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.journal.segment.BatchRing;
import io.signalbox.journal.segment.GroupBatch;
import io.signalbox.scheduler.Scheduler;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Journals that another thread writes, against journals that are appended to at once. */
@Tag("threads")
@Timeout(600)
final class WriteBehindTest
{
    private static final String THREAD = "signalbox-journal-writer";
    private static final int ROW_BYTES = 100;
    private static final int ROWS = 1_000;
    private static final UnsafeBuffer NOTE = Runs.note(1, 10_000);

    @TempDir
    private Path directory;

    @AfterEach
    void shouldLeaveNoThread()
    {
        assertFalse(Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> THREAD.equals(thread.getName())));
    }

    @Test
    void shouldWriteTheSameRecords()
    {
        for (int processors = 1; processors <= 2; processors++)
        {
            final JournalWriter writer = JournalWriter.create(
                directory.resolve("of" + processors), Runs.settings(), Runs.smallSegments(Durability.PROCESS));
            try (GroupJournal journal = WriteBehind.of(writer, processors))
            {
                Runs.append(journal, new Scheduler(Runs.CONFIG), 0, 5_000);
            }
            assertEquals(5_000, writer.groups());
        }

        final Verification one = JournalVerifier.verify(directory.resolve("of1"), Scheduler::new);

        assertTrue(one.matches());
        assertEquals(one, JournalVerifier.verify(directory.resolve("of2"), Scheduler::new));
    }

    /** The engine gives the rows back to the backend as soon as the append has returned. */
    @Test
    void shouldKeepRowsThatAreOverwrittenLater()
    {
        final String[] digests = new String[2];
        for (int processors = 1; processors <= 2; processors++)
        {
            final JournalWriter writer = JournalWriter.create(
                directory.resolve("of" + processors), Runs.settings(), Runs.options(Durability.PROCESS));
            final byte[] bytes = new byte[ROWS * ROW_BYTES];
            try (GroupJournal journal = WriteBehind.of(writer, processors))
            {
                for (int step = 1; step <= 50; step++)
                {
                    Arrays.fill(bytes, (byte)step);
                    final UnsafeBuffer group = Runs.completion(step, ROWS, ROW_BYTES);
                    journal.append(step, group, 0, group.capacity(),
                        new Runs.Slice(new UnsafeBuffer(bytes), 0, ROWS, ROW_BYTES));
                }
            }
            digests[processors - 1] = writer.digest();
        }
        assertEquals(digests[0], digests[1]);
    }

    @Test
    void shouldAppendAtOnceOnOneCore()
    {
        final Kept kept = new Kept();
        assertSame(kept, WriteBehind.of(kept, 1));
    }

    @Test
    void shouldEndTheRunWithTheFaultOfTheJournal()
    {
        final Kept kept = new Kept();
        kept.faultAt = 30;
        final GroupJournal journal = WriteBehind.of(kept, 2);

        final IllegalStateException told = assertThrows(IllegalStateException.class, () -> appendForEver(journal));

        assertSame(kept.fault, told);
        assertSame(told, assertThrows(IllegalStateException.class, () -> append(journal)), "nothing is taken after it");
        journal.close();
        assertEquals(30, kept.appended.get(), "nothing reaches the journal behind a fault");
        assertEquals(1, kept.closed);
        assertFalse(kept.isCutShort, "the engine says so, which was told");
    }

    private static void append(final GroupJournal journal)
    {
        journal.append(1, NOTE, 0, NOTE.capacity(), null);
    }

    private static void appendForEver(final GroupJournal journal)
    {
        while (true)
        {
            append(journal);
        }
    }

    /** The last groups are appended when the run has ended: it must not count as whole. */
    @Test
    void shouldTellAFaultAtTheEnd()
    {
        final Kept kept = new Kept();
        kept.faultAt = 1;
        final GroupJournal journal = WriteBehind.of(kept, 2);
        append(journal);

        assertSame(kept.fault, assertThrows(IllegalStateException.class, journal::close));

        assertEquals(1, kept.closed);
        assertTrue(kept.isCutShort);
    }

    @Test
    void shouldWaitForAJournalThatIsSlow() throws InterruptedException
    {
        final Kept kept = new Kept();
        final CountDownLatch go = new CountDownLatch(1);
        kept.go = go;
        final GroupJournal journal = WriteBehind.of(kept, 2);
        final AtomicInteger given = new AtomicInteger();
        final int all = 2_000;
        final Thread run = new Thread(() ->
        {
            while (given.get() < all)
            {
                append(journal);
                given.incrementAndGet();
            }
        });
        run.start();
        while (run.getState() != Thread.State.WAITING)
        {
            Thread.onSpinWait();
        }
        assertTrue(given.get() <= BatchRing.BATCHES * (GroupBatch.FULL_BYTES / NOTE.capacity() + 1), given + " groups");
        go.countDown();
        run.join();
        journal.close();
        assertEquals(all, kept.appended.get());
    }

    /** A run that ends before its first group leaves no journal, whatever writes it. */
    @Test
    void shouldRemoveADeferredJournalWithoutAGroup()
    {
        final AtomicInteger discarded = new AtomicInteger();
        final DeferredJournal deferred = deferred(discarded::incrementAndGet);
        final GroupJournal behind = WriteBehind.of(deferred, 2);
        deferred.open();
        behind.close();

        assertEquals(1, discarded.get());
        assertFalse(Files.exists(directory.resolve("journal/segment-00000")));
    }

    @Test
    void shouldKeepADeferredJournalWithItsFewGroups()
    {
        final DeferredJournal deferred = deferred(() -> { });
        final GroupJournal behind = WriteBehind.of(deferred, 2);
        deferred.open();
        Runs.append(behind, new Scheduler(Runs.CONFIG), 0, 3);
        behind.close();
        behind.close();

        final Verification verification = JournalVerifier.verify(directory.resolve("journal"), Scheduler::new);
        assertEquals(3, verification.groups());
        assertTrue(verification.ending().isSealed());
    }

    private DeferredJournal deferred(final Runnable afterDiscard)
    {
        return new DeferredJournal(() -> JournalWriter.create(
            directory.resolve("journal"), Runs.settings(), Runs.options(Durability.PROCESS)), afterDiscard);
    }

    /** Counts what it gets. */
    private static final class Kept implements GroupJournal
    {
        private final AtomicInteger appended = new AtomicInteger();
        private final IllegalStateException fault = new IllegalStateException("planted");
        private int faultAt = -1;
        private CountDownLatch go = new CountDownLatch(0);
        private int closed;
        private boolean isCutShort;

        @Override
        public void append(
            final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
        {
            try
            {
                go.await();
            }
            catch (final InterruptedException e)
            {
                throw new AssertionError(e);
            }
            if (appended.incrementAndGet() == faultAt)
            {
                throw fault;
            }
        }

        @Override
        public void endOfBatch()
        {
        }

        @Override
        public void cutShort()
        {
            isCutShort = true;
        }

        @Override
        public void close()
        {
            closed++;
        }
    }
}
