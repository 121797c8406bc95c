// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.snapshot.SchedulerSnapshot;
import io.signalbox.journal.snapshot.SchedulerStore;
import io.signalbox.journal.snapshot.SnapshotFiles;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A verification behind a snapshot of the scheduler finds the same as one of everything; bad ones are passed over. */
class SchedulerSnapshotTest
{
    private static final int GROUPS = 600;
    private static final int EVERY = 150;
    private static final DpRouters ROUTERS = DpRouters.installed();

    @TempDir
    private Path directory;
    private Path journal;

    @BeforeEach
    void write()
    {
        journal = directory.resolve("journal");
        Runs.write(journal, GROUPS, Runs.smallSegments(Durability.PROCESS));
    }

    private static ReplayFollower follower(final Path journal, final int every)
    {
        return new ReplayFollower(journal, every, ROUTERS);
    }

    private static Verification verify(final Path journal)
    {
        return JournalVerifier.verifyBehindSnapshot(journal, ROUTERS, ReadProgress.NONE);
    }

    private void snapshots()
    {
        final ReplayFollower follower = follower(journal, EVERY);
        assertTrue(follower.follow(ReadProgress.NONE));
        assertEquals(4, follower.written());
        follower.conclude();
        assertEquals(GROUPS + 1, follower.records());
    }

    private List<Path> files() throws IOException
    {
        try (Stream<Path> files = Files.list(journal.resolve("snapshots")))
        {
            return files.sorted().toList();
        }
    }

    private Verification whole()
    {
        return JournalVerifier.verify(journal, Scheduler::new);
    }

    private void assertConfirmed(final Verification behind, final long begunAt, final int passedOver)
    {
        assertNull(behind.difference());
        assertEquals(whole().digest(), behind.digest());
        assertEquals(whole().records(), behind.records());
        assertEquals(begunAt, behind.begunAt());
        assertEquals(passedOver, behind.passedOver().size(), behind.passedOver()::toString);
    }

    @Test
    void shouldVerifyFromTheFirstRecordWithoutASnapshot()
    {
        assertConfirmed(verify(journal), 0, 0);
    }

    /** Snapshots at many places, each with the rest of the journal behind it. */
    @Test
    void shouldConfirmTheRestBehindASnapshotOfAnyPlace() throws IOException
    {
        final int step = TestStrength.count(37, 1);
        for (int groups = 1; groups < GROUPS; groups += step)
        {
            final SchedulerStore store = new SchedulerStore(journal);
            try (JournalReader reader = JournalReader.open(journal))
            {
                final Scheduler scheduler = new Scheduler(reader.config());
                JournalVerifier.replayTo(reader, scheduler, groups, (group, offset, length) -> { });
                store.write(new SchedulerSnapshot(reader.settings(), reader.mark(), scheduler));
                store.thinOut();
            }
            assertConfirmed(verify(journal), groups + 1, 0);
        }
        assertEquals(2, files().size());
    }

    @Test
    void shouldContinueAtTheNewestSnapshotAndWriteNoneTwice() throws IOException
    {
        snapshots();
        final List<Path> before = files();
        final ReplayFollower again = follower(journal, EVERY);

        assertTrue(again.follow(ReadProgress.NONE));
        again.conclude();
        assertEquals(0, again.written());
        assertEquals(before, files());
        assertConfirmed(verify(journal), GROUPS + 1, 0);
    }

    @Test
    void shouldFollowAJournalWhileItIsWritten()
    {
        final Path live = directory.resolve("live");
        ReplayFollower follower = follower(live, 50);
        try (JournalWriter writer = JournalWriter.create(live, Runs.settings(), Runs.smallSegments(Durability.PROCESS)))
        {
            final Scheduler scheduler = new Scheduler(Runs.CONFIG);
            assertFalse(follower.follow(ReadProgress.NONE));
            for (int i = 0; i < 10; i++)
            {
                Runs.append(writer, scheduler, 40 * i, 40 * (i + 1));
                assertFalse(follower.follow(ReadProgress.NONE));
                assertEquals(40 * (i + 1) + 1, follower.records());
                if (i % 3 == 2)
                {
                    // Another one begins at the snapshot, finds nothing new, and then finds more.
                    follower.conclude();
                    follower = follower(live, 50);
                    assertFalse(follower.follow(ReadProgress.NONE));
                    assertFalse(follower.follow(ReadProgress.NONE));
                }
            }
        }
        assertTrue(follower.follow(ReadProgress.NONE));
        assertEquals(0, follower.written());
        assertEquals(List.of(), follower.passedOver());
        assertEquals(361, verify(live).begunAt());
    }

    /** The next engine decides no group again, so it may be of a version that decides otherwise. */
    @Test
    void shouldWriteASnapshotOfTheEndWhenAJournalIsClosed()
    {
        final Path closed = directory.resolve("closed");
        final JournalConfig config = Runs.smallSegments(Durability.PROCESS).withSnapshotEvery(GROUPS + 100);
        try (JournalWriter writer = JournalWriter.create(closed, Runs.settings(), config))
        {
            Runs.append(writer, GROUPS);
        }
        final Verification found = verify(closed);
        assertTrue(found.matches());
        assertEquals(GROUPS + 1, found.records());
        assertEquals(GROUPS + 1, found.begunAt());
    }

    /** However rarely snapshots are wanted, the end of an engine waits for some tenths of a second of decisions only. */
    @Test
    void shouldWriteNoSnapshotOfAnEndThatIsFarAhead() throws InterruptedException
    {
        final Path closed = directory.resolve("closed");
        final int notes = 100_010;
        try (JournalWriter writer = JournalWriter.createAlone(
            closed, Runs.settings(), Runs.options(Durability.PROCESS).withSnapshotEvery(1 << 30)))
        {
            writer.keepUp(null, UpkeepListener.NONE, new JournalUpkeep.Rhythm(EndedRuns.UNSEEN, TimeUnit.HOURS.toMillis(1)));
            awaitPause("signalbox-journal-upkeep");
            Runs.append(writer, new Scheduler(Runs.CONFIG), 0, notes, (input, i) ->
                input.control().timeNanos(i * 1000L).requestId(-1).kind(ControlKind.NOTE).note(""));
        }
        assertEquals(List.of(), new SchedulerStore(closed).newestFirst());
    }

    private static void awaitPause(final String thread)
    {
        while (Thread.getAllStackTraces().keySet().stream().noneMatch(
            each -> each.getName().equals(thread) && each.getState() == Thread.State.TIMED_WAITING))
        {
            Thread.onSpinWait();
        }
    }

    /** Cuts and flipped bits: none is used, each is named, and the older one serves. */
    @Test
    void shouldPassOverADamagedSnapshotForTheOlderOne() throws IOException
    {
        snapshots();
        final Path newest = files().get(1);
        final long older = Long.parseLong(files().get(0).getFileName().toString().substring("scheduler-".length()));
        final byte[] whole = Files.readAllBytes(newest);
        final Random random = new Random(3);
        for (int i = 0; i < TestStrength.count(25, 2_000); i++)
        {
            Files.write(newest, Arrays.copyOf(whole, random.nextInt(whole.length)));
            assertConfirmed(verify(journal), older, 1);
            final byte[] damaged = whole.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte)(1 << random.nextInt(Byte.SIZE));
            Files.write(newest, damaged);
            final Verification found = verify(journal);
            assertConfirmed(found, older, 1);
            assertTrue(found.passedOver().get(0).startsWith(newest + " is passed over: "), found.passedOver()::toString);
        }
        Files.write(files().get(0), new byte[0]);
        assertConfirmed(verify(journal), 0, 2);
    }

    @Test
    void shouldPassOverASnapshotOfAnotherJournal() throws IOException
    {
        snapshots();
        final Path other = directory.resolve("other");
        final TreeMap<String, String> settings = new TreeMap<>(Runs.settings());
        settings.put("program.version", "another");
        try (JournalWriter writer = JournalWriter.create(other, settings, Runs.smallSegments(Durability.PROCESS)))
        {
            Runs.append(writer, GROUPS);
        }
        Files.createDirectory(other.resolve("snapshots"));
        for (final Path file : files())
        {
            Files.copy(file, other.resolve("snapshots").resolve(file.getFileName()));
        }

        final Verification found = verify(other);
        assertEquals(0, found.begunAt());
        assertEquals(2, found.passedOver().size());
        assertTrue(found.matches());
    }

    /** Its bytes are whole and its digest is right, but it is not the scheduler of this journal. */
    @Test
    void shouldVerifyEverythingIfADecisionBehindASnapshotDiffers() throws IOException
    {
        final SchedulerConfig config;
        try (JournalReader reader = JournalReader.open(journal))
        {
            config = reader.config();
            final Scheduler scheduler = new Scheduler(config);
            JournalVerifier.replayTo(reader, scheduler, 300, (group, offset, length) -> { });
            final InputWriter drain = new InputWriter();
            drain.control().timeNanos(1).requestId(-1).kind(ControlKind.DRAIN).note("");
            scheduler.apply(drain.buffer(), 0, drain.length(), null, 0, new GroupWriter(4096));
            new SchedulerStore(journal).write(new SchedulerSnapshot(reader.settings(), reader.mark(), scheduler));
        }
        assertConfirmed(verify(journal), 0, 1);

        final ReplayFollower follower = follower(journal, EVERY);
        assertTrue(follower.follow(ReadProgress.NONE));
        assertEquals(1, follower.passedOver().size());
        assertEquals(GROUPS + 1, follower.records());
    }

    /** A journal that does not verify gets no snapshot behind the difference. */
    @Test
    void shouldWriteNothingBehindADecisionThatDiffers() throws IOException
    {
        final Path wrong = directory.resolve("wrong");
        try (JournalWriter writer = JournalWriter.create(wrong, Runs.settings(), Runs.smallSegments(Durability.PROCESS)))
        {
            final Scheduler scheduler = new Scheduler(Runs.CONFIG);
            Runs.append(writer, scheduler, 0, 200);
            // The inputs between are missing.
            Runs.append(writer, new Scheduler(Runs.CONFIG), 200, 300);
        }
        final ReplayFollower follower = follower(wrong, 50);

        final JournalException refused = assertThrows(JournalException.class, () -> follower.follow(ReadProgress.NONE));
        assertEquals(Kind.NOT_CONFIRMED, refused.kind());
        follower.conclude();
        final Verification found = verify(wrong);
        assertFalse(found.matches());
        assertTrue(found.passedOver().get(0).contains("a decision behind it differs"), found.passedOver()::toString);
    }

    /** The file that a killed process has left goes; one that another process may be writing stays. */
    @Test
    void shouldRemovePartsOfProcessesThatAreGone() throws IOException
    {
        final Path snapshots = Files.createDirectory(journal.resolve("snapshots"));
        final FileTime old = FileTime.from(Instant.now().minusSeconds(3600));
        final String none = SnapshotFiles.name("snapshot", 7) + ".999999999999999.part";
        final String young = SnapshotFiles.name("snapshot", 8) + ".999999999999999.part";
        final long other = ProcessHandle.allProcesses().mapToLong(ProcessHandle::pid)
            .filter(pid -> pid != ProcessHandle.current().pid()).findFirst().orElse(1);
        final String living = SnapshotFiles.name("snapshot", 9) + "." + other + ".part";
        for (final String name : List.of(none, young, living))
        {
            Files.writeString(snapshots.resolve(name), "x");
        }
        Files.setLastModifiedTime(snapshots.resolve(none), old);
        Files.setLastModifiedTime(snapshots.resolve(living), old);
        snapshots();

        assertFalse(Files.exists(snapshots.resolve(none)));
        assertTrue(Files.exists(snapshots.resolve(young)));
        assertTrue(Files.exists(snapshots.resolve(living)));
    }
}
