// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.UpkeepListener.Removal;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Old segments go only if two snapshots, and every request that is needed, stay whole; a crash between leaves a journal. */
class JournalRetentionTest
{
    private static final int GROUPS = 4_000;
    private static final int EVERY = 1_500;

    @TempDir
    private Path directory;
    private Path journal;
    private Verification whole;

    @BeforeEach
    void write()
    {
        journal = directory.resolve("journal");
        EndedRuns.write(journal, GROUPS);
        whole = JournalVerifier.verify(journal, Scheduler::new);
    }

    private static JournalException refused(final Runnable call)
    {
        return assertThrows(JournalException.class, call::run);
    }

    private static List<String> segments(final Path journal)
    {
        return EndedRuns.names(journal).stream().filter(name -> SegmentName.number(name) >= 0).toList();
    }

    /** It reads to the same end, verifies behind a snapshot, and names its first record. */
    private void assertBegins(final Path shortened, final long firstRecord)
    {
        try (JournalReader reader = JournalReader.openKept(shortened, ReadProgress.NONE))
        {
            assertEquals(Math.max(firstRecord, 1), reader.records());
            boolean more = true;
            while (more)
            {
                more = reader.next();
            }
            assertEquals(whole.digest(), reader.digest());
            assertEquals(whole.records(), reader.records());
            assertEquals(Runs.settings(), reader.settings());
        }
        final Verification found = JournalVerifier.verifyKept(shortened, EndedRuns.ROUTERS, ReadProgress.NONE);
        assertNull(found.difference());
        assertEquals(whole.digest(), found.digest());
        assertEquals(whole.ending(), found.ending());
        assertTrue(found.begunAt() >= firstRecord, () -> found.begunAt() + " " + firstRecord);
        if (firstRecord > 0)
        {
            final JournalException all = refused(() -> JournalReader.open(shortened));
            assertEquals(Kind.RECORDS_REMOVED, all.kind());
            assertTrue(all.getMessage().contains(" begins at record " + firstRecord + ","), all::getMessage);
        }
    }

    @Test
    void shouldRemoveTheOldestSegmentsBehindTheOlderSnapshot()
    {
        EndedRuns.snapshots(journal, EVERY);
        final List<String> before = segments(journal);
        final Removal removal = EndedRuns.keepSegments(journal, 1);

        assertTrue(removal.segments() > 2, removal::toString);
        assertTrue(removal.bytes() > removal.segments() * 65_536L);
        assertTrue(removal.notes().get(0).contains("the older of two snapshots needs it"), removal.notes()::toString);
        assertEquals(before.subList(removal.segments(), before.size()), segments(journal));
        assertFalse(Files.exists(journal.resolve(SegmentName.sumsOf(removal.segments() - 1))));
        assertTrue(Files.exists(journal.resolve(SegmentName.sumsOf(removal.segments()))));
        assertBegins(journal, removal.firstRecord());
        assertEquals(0, EndedRuns.keepSegments(journal, 1).segments());
    }

    /** The snapshots of one kind are older than those of the other kind. */
    @ParameterizedTest
    @CsvSource({"300, 1500", "1500, 300"})
    void shouldKeepTheRecordsAfterTheOlderSnapshotOfEachKind(final int statesEvery, final int schedulersEvery)
    {
        EndedRuns.snapshots(journal, statesEvery, schedulersEvery);
        final long state = secondNewest("snapshot-");
        final long scheduler = secondNewest("scheduler-");
        EndedRuns.keepSegments(journal, 1);
        final long first = JournalRetention.firstRecord(journal);
        assertTrue(first > 0 && first <= state && first <= scheduler, first + " " + state + " " + scheduler);
        assertTrue(Math.abs(state - scheduler) >= 900, "the two kinds differ by several segments");
    }

    private long secondNewest(final String prefix)
    {
        return EndedRuns.names(journal.resolve("snapshots")).stream().filter(name -> name.startsWith(prefix))
            .map(name -> Long.parseLong(name.substring(prefix.length()))).sorted(Comparator.reverseOrder()).toList().get(1);
    }

    @Test
    void shouldStayBehindEachLimit() throws IOException
    {
        EndedRuns.snapshots(journal, EVERY);
        final int count = segments(journal).size();
        assertEquals(1, EndedRuns.keepSegments(journal, count - 1).segments());
        final int first = DirectoryFiles.of(journal).firstSegment();
        Files.setLastModifiedTime(DirectoryFiles.of(journal).dataFile(first),
            FileTime.from(Instant.now().minus(Duration.ofDays(9))));
        final RetentionLimits age = RetentionLimits.NONE.withMostAge(Duration.ofDays(8));
        assertEquals(1, new JournalRetention(
            journal, age, EndedRuns.ROUTERS, ReadProgress.NONE, EndedRuns.UNSEEN).apply().segments());
        final RetentionLimits bytes = RetentionLimits.NONE.withMostBytes(300_000);
        assertTrue(new JournalRetention(
            journal, bytes, EndedRuns.ROUTERS, ReadProgress.NONE, EndedRuns.UNSEEN).apply().segments() > 0);
        assertEquals(0, JournalRetention.apply(journal, RetentionLimits.NONE, EndedRuns.ROUTERS, ReadProgress.NONE)
            .segments());
        assertBegins(journal, DirectoryFiles.of(journal).beginning().start().place().records());
    }

    @Test
    void shouldRemoveNothingWithFewerThanTwoSnapshotsOfEachKind() throws IOException
    {
        final List<String> before = segments(journal);
        assertTrue(EndedRuns.keepSegments(journal, 1).notes().get(0).contains("there are 0 and 0"));
        EndedRuns.snapshots(journal, EVERY);
        final Path snapshots = journal.resolve("snapshots");
        final List<String> names = EndedRuns.names(snapshots);
        final Path newest = snapshots.resolve(names.stream().filter(name -> name.startsWith("scheduler"))
            .max(Comparator.naturalOrder()).orElseThrow());
        final byte[] bytes = Files.readAllBytes(newest);
        bytes[bytes.length / 2] ^= 1;
        Files.write(newest, bytes);
        final Removal damaged = EndedRuns.keepSegments(journal, 1);
        assertEquals(0, damaged.segments());
        assertTrue(damaged.notes().get(0).contains("cannot be used: its bytes are not those that were written"),
            damaged.notes()::toString);
        assertTrue(damaged.notes().get(1).contains("there are 1 and 2"), damaged.notes()::toString);
        assertEquals(before, segments(journal));
        assertFalse(JournalBeginning.isIn(journal));
        assertBegins(journal, 0);
    }

    /** One request of the first segment never ends: then nothing goes. */
    @Test
    void shouldKeepTheSubmitOfARequestThatHasNotEnded()
    {
        final Path held = directory.resolve("held");
        try (JournalWriter writer = JournalWriter.create(held, Runs.settings(), EndedRuns.CONFIG))
        {
            final Scheduler scheduler = new Scheduler(Runs.CONFIG);
            EndedRuns.append(writer, scheduler, 0, 2);
            // The one that is not cancelled.
            EndedRuns.append(writer, scheduler, 4, GROUPS);
        }
        EndedRuns.snapshots(held, EVERY);
        final Removal removal = EndedRuns.keepSegments(held, 1);
        assertEquals(0, removal.segments());
        assertTrue(removal.notes().get(removal.notes().size() - 1).startsWith(
            "segment-00000 and newer ones stay: request 0, which was submitted there, has not ended."),
            removal.notes()::toString);
    }

    /** The rows of one request of the first segment are not released: the note names the request. */
    @Test
    void shouldNameTheRequestWhoseRowsWereNotReleased()
    {
        final Path held = directory.resolve("held");
        final SchedulerConfig captures =
            SchedulerConfig.builder().ranks(2).kvBlocks(64).capture(new ModelShape(2, 64, 3)).build();
        try (JournalWriter writer = JournalWriter.create(held, captures.settings(), EndedRuns.CONFIG))
        {
            final Scheduler scheduler = new Scheduler(captures);
            Runs.append(writer, scheduler, 0, 1, (input, i) -> EndedRuns.submit(input, 0, 0, 0));
            EndedRuns.append(writer, scheduler, 1, GROUPS);
        }
        EndedRuns.snapshots(held, EVERY);
        final Removal removal = EndedRuns.keepSegments(held, 1);
        assertEquals(0, removal.segments());
        assertEquals("segment-00000 and newer ones stay: request 0, which was submitted there, has ended, and its rows " +
            "were not released; take or release them.", removal.notes().get(removal.notes().size() - 1));
    }

    /** Requests of the first segment ended within the groups that a client may not have seen. */
    @Test
    void shouldKeepTheSubmitOfARequestThatEndedRecently()
    {
        EndedRuns.snapshots(journal, EVERY);
        assertUnseen(SmallRetention.apply(journal, GROUPS));
        assertTrue(EndedRuns.keepSegments(journal, 1).segments() > 0);
    }

    /** A refusal is an end that a client may not have seen: its segment stays for that many groups, and not longer. */
    @Test
    void shouldKeepTheSubmitOfARecentRefusal()
    {
        final Path held = directory.resolve("held");
        try (JournalWriter writer = JournalWriter.create(held, Runs.settings(), EndedRuns.CONFIG))
        {
            final Scheduler scheduler = new Scheduler(Runs.CONFIG);
            Runs.append(writer, scheduler, 0, 1,
                (input, i) -> input.control().timeNanos(0).requestId(-1).kind(ControlKind.DRAIN).note(""));
            Runs.append(writer, scheduler, 1, 2, (input, i) -> EndedRuns.submit(input, 0, 1000, -1));
            Runs.append(writer, scheduler, 2, GROUPS, (input, i) ->
                input.control().timeNanos(i * 1000L).requestId(-1).kind(ControlKind.NOTE).note("x".repeat(200)));
        }
        EndedRuns.snapshots(held, EVERY);
        assertUnseen(SmallRetention.apply(held, GROUPS));
        assertTrue(EndedRuns.keepSegments(held, 1).segments() > 0);
    }

    private static void assertUnseen(final Removal removal)
    {
        assertEquals(0, removal.segments());
        assertEquals("segment-00000 and newer ones stay: a request that was submitted there ended recently, and its " +
            "client may not have seen the end.", removal.notes().get(removal.notes().size() - 1));
    }

    /** A reader of this process is in the first segment. */
    @Test
    void shouldRemoveNothingThatAReaderOfThisProcessMayRead()
    {
        EndedRuns.snapshots(journal, EVERY);
        try (JournalReader reader = JournalReader.open(journal))
        {
            assertTrue(reader.next());
            final Removal removal = EndedRuns.keepSegments(journal, 1);
            assertEquals(0, removal.segments());
            while (reader.segment() < 2)
            {
                assertTrue(reader.next());
            }
            assertEquals(2, EndedRuns.keepSegments(journal, 1).segments());
            while (reader.next())
            {
                // To the end: what it reads is there.
                continue;
            }
            assertEquals(whole.digest(), reader.digest());
        }
        assertTrue(EndedRuns.keepSegments(journal, 1).segments() > 0);
    }

    /** Stopped behind each step: after the first file, after both, and after each file that was removed. */
    @Test
    void shouldLeaveAWholeJournalWhereverItIsStopped() throws IOException
    {
        EndedRuns.snapshots(journal, EVERY);
        final Path done = KilledCopy.of(journal, directory.resolve("done"));
        final Removal removal = EndedRuns.keepSegments(done, 1);
        final List<Path> removed = new ArrayList<>();
        for (int segment = 0; segment < removal.segments(); segment++)
        {
            try (Stream<Path> files = Files.walk(journal.resolve(SegmentName.of(segment))))
            {
                files.sorted(Comparator.reverseOrder()).map(journal::relativize).forEach(removed::add);
            }
        }
        for (int stopped = -2; stopped <= removed.size(); stopped++)
        {
            if (!TestStrength.isFull() && stopped > 4 && stopped < removed.size() - 1)
            {
                continue;
            }
            final Path at = KilledCopy.of(journal, directory.resolve("stopped" + stopped));
            Files.write(at.resolve(JournalBeginning.FILE + ".part"), new byte[stopped + 2]);
            Files.copy(done.resolve(JournalBeginning.COPY), at.resolve(JournalBeginning.COPY));
            if (stopped > -2)
            {
                Files.copy(done.resolve(JournalBeginning.FILE), at.resolve(JournalBeginning.FILE));
            }
            for (int i = 0; i < stopped; i++)
            {
                Files.delete(at.resolve(removed.get(i)));
            }
            assertBegins(at, removal.firstRecord());
            EndedRuns.keepSegments(at, 1);
            assertEquals(EndedRuns.names(done), EndedRuns.names(at), "stopped behind " + stopped);
            assertBegins(at, removal.firstRecord());
        }
    }

    /** Each byte of one file, and each length: the copy serves. Of both: refused, and nothing is guessed. */
    @Test
    void shouldReadTheCopyIfTheBeginningIsDamaged() throws IOException
    {
        EndedRuns.snapshots(journal, EVERY);
        final Removal removal = EndedRuns.keepSegments(journal, 1);
        final Path file = journal.resolve(JournalBeginning.FILE);
        final byte[] good = Files.readAllBytes(file);
        for (int i = 0; i < good.length; i += TestStrength.count(7, 1))
        {
            final byte[] damaged = good.clone();
            damaged[i] ^= 8;
            Files.write(file, damaged);
            assertEquals(removal.firstRecord(), JournalBeginning.of(journal).start().place().records());
        }
        Files.write(file, new byte[0]);
        assertBegins(journal, removal.firstRecord());
        Files.write(journal.resolve(JournalBeginning.COPY), new byte[3]);
        final JournalException both = refused(() -> JournalReader.openKept(journal, ReadProgress.NONE));
        assertEquals(Kind.CORRUPT_RECORD, both.kind());
        Files.delete(file);
        Files.delete(journal.resolve(JournalBeginning.COPY));
        assertEquals(Kind.MISSING_SEGMENT, refused(() -> JournalReader.open(journal)).kind());
    }

    @Test
    void shouldRefuseASecondProcessThatRemovesAtOnce() throws IOException
    {
        EndedRuns.snapshots(journal, EVERY);
        try (FileChannel channel = FileChannel.open(journal.resolve(JournalBeginning.LOCK), StandardOpenOption.CREATE,
            StandardOpenOption.WRITE); FileLock lock = channel.lock())
        {
            assertTrue(lock.isValid());
            assertEquals(Kind.LOCKED, refused(() -> EndedRuns.keepSegments(journal, 1)).kind());
        }
        assertTrue(EndedRuns.keepSegments(journal, 1).segments() > 0);
    }

    /** A file that no segment has stays, and so does every segment. */
    @Test
    void shouldRemoveNothingBesideAForeignFile() throws IOException
    {
        EndedRuns.snapshots(journal, EVERY);
        final Path foreign = journal.resolve(SegmentName.of(1)).resolve("notes.txt");
        Files.writeString(foreign, "mine");
        final List<String> before = EndedRuns.names(journal);
        assertEquals(Kind.FOREIGN_FILE, refused(() -> EndedRuns.keepSegments(journal, 1)).kind());
        assertTrue(Files.exists(foreign));
        assertEquals(before, EndedRuns.names(journal).stream().filter(name -> !name.equals(JournalBeginning.LOCK)).toList());
        assertBegins(journal, 0);
    }

    @Test
    void shouldRefuseByNameIfNoSnapshotIsLeft() throws IOException
    {
        EndedRuns.snapshots(journal, EVERY);
        EndedRuns.keepSegments(journal, 1);
        for (final String name : EndedRuns.names(journal.resolve("snapshots")))
        {
            if (name.startsWith("scheduler"))
            {
                Files.write(journal.resolve("snapshots").resolve(name), new byte[200]);
            }
        }
        final JournalException verified =
            refused(() -> JournalVerifier.verifyKept(journal, EndedRuns.ROUTERS, ReadProgress.NONE));
        assertEquals(Kind.RECORDS_REMOVED, verified.kind());
        assertTrue(verified.getMessage().contains("is passed over: its bytes are not those that were written."),
            verified::getMessage);
        assertTrue(verified.getMessage().contains("Start the version of Signalbox that wrote the snapshots"),
            verified::getMessage);
        final List<String> before = EndedRuns.names(journal);
        try (ContinuedRun run = (ContinuedRun)new DirectoryJournal(journal, EndedRuns.CONFIG).open(Runs.settings()))
        {
            assertEquals(Kind.RECORDS_REMOVED, refused(() -> run.replayInto(Runs.CONFIG, null)).kind());
        }
        assertEquals(before, EndedRuns.names(journal));
    }

    /** Segments are removed while the run continues, again and again; recovery and listing know the files. */
    @Test
    void shouldRemoveSegmentsWhileTheJournalIsWritten() throws IOException
    {
        final Path live = directory.resolve("live");
        final SnapshotFollower states = new SnapshotFollower(live, 300, 8);
        final ReplayFollower schedulers = new ReplayFollower(live, 300, EndedRuns.ROUTERS);
        int removed = 0;
        try (JournalWriter writer = JournalWriter.create(live, Runs.settings(), EndedRuns.CONFIG))
        {
            final Scheduler scheduler = new Scheduler(Runs.CONFIG);
            for (int i = 0; i < 12; i++)
            {
                EndedRuns.append(writer, scheduler, 400 * i, 400 * (i + 1));
                assertFalse(states.follow(ReadProgress.NONE));
                assertFalse(schedulers.follow(ReadProgress.NONE));
                removed += EndedRuns.keepSegments(live, 2).segments();
                assertTrue(segments(live).size() <= 7, segments(live)::toString);
            }
            KilledCopy.of(live, directory.resolve("killed"));
        }
        assertTrue(removed > 5, "removed " + removed);
        final Path killed = directory.resolve("killed");
        final RunDirectory listed = RunDirectories.of(killed);
        assertEquals(RunDirectory.State.IDLE, listed.state());
        JournalRecovery.recover(killed);
        final Verification found = JournalVerifier.verifyKept(killed, EndedRuns.ROUTERS, ReadProgress.NONE);
        assertNull(found.difference());
        assertEquals(Ending.RECOVERED, found.ending());
        RunDirectories.remove(live);
        assertFalse(Files.exists(live));
    }
}
