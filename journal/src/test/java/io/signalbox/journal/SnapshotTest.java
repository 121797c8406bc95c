// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import com.dynatrace.hash4j.hashing.Hashing;
import io.signalbox.ConfigException;
import io.signalbox.TestStrength;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SnapshotFile;
import io.signalbox.journal.snapshot.SnapshotFiles;
import io.signalbox.journal.snapshot.SnapshotStore;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.state.StateCodec;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The state at a record is the same from any snapshot as from the beginning, and a bad snapshot is passed over by name. */
class SnapshotTest
{
    private static final int GROUPS = 600;
    private static final int EVERY = 150;

    @TempDir
    private Path directory;
    private Path journal;

    @BeforeEach
    void write()
    {
        journal = directory.resolve("journal");
        Runs.write(journal, GROUPS, Runs.smallSegments(Durability.PROCESS));
    }

    private static byte[] bytes(final RunMoment moment)
    {
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        final byte[] bytes = new byte[StateCodec.encode(moment.state(), buffer, 0)];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    private RunMoment at(final long record)
    {
        return RunMoment.at(journal, JournalMoment.atRecord(record), ReadProgress.NONE);
    }

    private void snapshots()
    {
        final SnapshotFollower follower = new SnapshotFollower(journal, EVERY, 100);
        assertTrue(follower.follow(ReadProgress.NONE));
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

    @Test
    void shouldFindTheSameStateFromASnapshotAsFromTheBeginning() throws IOException
    {
        final List<byte[]> fromStart = new ArrayList<>();
        for (int record = 0; record <= GROUPS; record += 7)
        {
            fromStart.add(bytes(at(record)));
        }
        snapshots();
        assertTrue(files().size() > 3, files()::toString);
        for (int i = 0; i < fromStart.size(); i++)
        {
            final RunMoment found = at(7L * i);
            assertArrayEquals(fromStart.get(i), bytes(found));
            assertEquals(List.of(), found.passedOver());
            assertEquals(7L * i > EVERY, found.firstRecord() > 0, "record " + 7 * i + " from " + found.firstRecord());
        }
    }

    @Test
    void shouldSeekByTime()
    {
        snapshots();
        // Group i has the time i microseconds, and record i + 1.
        final RunMoment found = RunMoment.at(journal, JournalMoment.atTime(400_500), ReadProgress.NONE);

        assertEquals(401, found.record());
        assertEquals(401, found.state().inputs());
        assertTrue(found.firstRecord() > 0);
        assertEquals(-1, RunMoment.at(journal, JournalMoment.atTime(-1), ReadProgress.NONE).record());
    }

    @Test
    void shouldRefuseARecordThatTheJournalDoesNotHave()
    {
        final String message = assertThrows(ConfigException.class, () -> at(GROUPS + 1)).getMessage();
        assertTrue(message.contains("record 601 is none of") && message.contains("0 to 600"), message);
    }

    @Test
    void shouldContinueAtTheNewestSnapshotAndWriteNoneTwice() throws IOException
    {
        snapshots();
        final List<Path> before = files();
        final SnapshotFollower again = new SnapshotFollower(journal, EVERY, 100);

        assertTrue(again.follow(ReadProgress.NONE));
        again.conclude();
        assertEquals(0, again.written());
        assertEquals(before, files());
    }

    @Test
    void shouldKeepTheNewestTwoAndSpreadTheOthers() throws IOException
    {
        final SnapshotFollower follower = new SnapshotFollower(journal, 20, 5);
        assertTrue(follower.follow(ReadProgress.NONE));
        follower.conclude();

        final List<Long> kept =
            new SnapshotStore(journal, 5).oldestFirst().stream().map(SnapshotFiles.Named::records).toList();
        assertEquals(5, kept.size());
        assertEquals(List.of((long)GROUPS, GROUPS + 1L), kept.subList(3, 5), kept::toString);
        assertTrue(kept.get(1) - kept.get(0) < 400 && kept.get(0) < 400, kept::toString);
    }

    /** A journal that is being written is folded as far as it goes, and further later. */
    @Test
    void shouldFollowAJournalWhileItIsWritten()
    {
        final Path live = directory.resolve("live");
        final SnapshotFollower follower = new SnapshotFollower(live, 50, 10);
        try (JournalWriter writer = JournalWriter.create(live, Runs.settings(), Runs.smallSegments(Durability.PROCESS)))
        {
            final Scheduler scheduler = new Scheduler(Runs.CONFIG);
            for (int i = 0; i < 10; i++)
            {
                Runs.append(writer, scheduler, 40 * i, 40 * (i + 1));
                assertFalse(follower.follow(ReadProgress.NONE));
                assertEquals(40 * (i + 1) + 1, follower.records());
            }
            assertEquals(401, RunMoment.at(live, JournalMoment.END, ReadProgress.NONE).record() + 1);
        }
        assertTrue(follower.follow(ReadProgress.NONE));
        assertEquals(Ending.CLOSED, follower.ending());
        assertEquals(8, follower.written());
    }

    /** Every cut, then every flipped bit of a small snapshot: none is used, each is named, and the older one serves. */
    @Test
    void shouldPassOverEveryDamagedSnapshot() throws IOException
    {
        snapshots();
        final byte[] expected = bytes(at(GROUPS));
        final List<Path> files = files();
        final Path newest = files.get(files.size() - 1);
        final byte[] whole = Files.readAllBytes(newest);
        final int step = TestStrength.count(97, 1);
        for (int length = 0; length < whole.length; length += step)
        {
            Files.write(newest, Arrays.copyOf(whole, length));
            assertPassedOver(newest, expected, "cut at byte " + length);
        }
        for (int bit = 0; bit < whole.length * Byte.SIZE; bit += step * 5)
        {
            final byte[] damaged = whole.clone();
            damaged[bit / Byte.SIZE] ^= (byte)(1 << bit % Byte.SIZE);
            Files.write(newest, damaged);
            assertPassedOver(newest, expected, "flipped bit " + bit);
        }
    }

    /** Every cut and every bit, without the journal. */
    @Test
    void shouldRefuseEveryDamagedFile() throws IOException
    {
        snapshots();
        final byte[] whole = Files.readAllBytes(files().get(0));
        for (int length = 0; length < whole.length; length++)
        {
            final byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(UnfitSnapshotException.class, () -> SnapshotFile.decode(cut));
        }
        for (int bit = 0; bit < whole.length * Byte.SIZE; bit++)
        {
            whole[bit / Byte.SIZE] ^= (byte)(1 << bit % Byte.SIZE);
            assertThrows(UnfitSnapshotException.class, () -> SnapshotFile.decode(whole));
            whole[bit / Byte.SIZE] ^= (byte)(1 << bit % Byte.SIZE);
        }
        assertEquals(EVERY + 1, SnapshotFile.decode(whole).mark().place().records() + 1);
    }

    private void assertPassedOver(final Path snapshot, final byte[] expected, final String damage)
    {
        final RunMoment found = at(GROUPS);
        assertArrayEquals(expected, bytes(found), damage);
        assertEquals(1, found.passedOver().size(), damage);
        assertTrue(found.passedOver().get(0).startsWith(snapshot + " is passed over: "), found.passedOver()::toString);
        assertTrue(found.firstRecord() > 0, damage);
    }

    /** A whole snapshot of another journal, and one that is stale. */
    @Test
    void shouldPassOverASnapshotOfAnotherJournal() throws IOException
    {
        snapshots();
        final Path other = directory.resolve("other");
        try (JournalWriter writer = JournalWriter.create(other, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            for (int i = 0; i < GROUPS; i++)
            {
                writer.append(i * 1000L, Runs.note(i, 7), 0, Runs.note(i, 7).capacity(), null);
            }
        }
        final List<Path> files = files();
        final SnapshotFollower follower = new SnapshotFollower(other, EVERY, 100);
        follower.follow(ReadProgress.NONE);
        final Path newest = files.get(files.size() - 1);
        follower.conclude();
        Files.write(newest, Files.readAllBytes(other.resolve("snapshots").resolve(newest.getFileName())));

        final RunMoment found = at(GROUPS);
        assertEquals(1, found.passedOver().size());
        assertTrue(found.passedOver().get(0).contains("record 600 is not the one that it was taken behind"),
            found.passedOver()::toString);
    }

    /** Random bytes behind a right checksum are a state or an UnfitSnapshotException, and nothing else. */
    @Test
    void shouldDecodeNothingElseThanASnapshotOrRefuse() throws IOException
    {
        snapshots();
        final byte[] whole = Files.readAllBytes(files().get(1));
        final SplittableRandom random = new SplittableRandom(1);
        int refused = 0;
        final int inputs = TestStrength.count(5_000, 200_000);
        for (int i = 0; i < inputs; i++)
        {
            final byte[] mutated = whole.clone();
            for (int n = 1 + random.nextInt(3); n > 0; n--)
            {
                mutated[SnapshotFile.HEADER_BYTES - 16 + random.nextInt(mutated.length - SnapshotFile.HEADER_BYTES + 12)] =
                    (byte)random.nextInt();
            }
            try
            {
                SnapshotFile.decode(resealed(mutated));
            }
            catch (final UnfitSnapshotException e)
            {
                refused++;
            }
        }
        assertTrue(refused > inputs / 10 && refused < inputs, refused + " of " + inputs);
    }

    /** With the hash and the checksum of what it holds now. */
    private static byte[] resealed(final byte[] file)
    {
        final int stateAt = SnapshotFile.HEADER_BYTES + (int)Envelope.int64(file, SnapshotFile.HEADER_BYTES - 16);
        final int end = file.length - Integer.BYTES;
        if (stateAt >= SnapshotFile.HEADER_BYTES && stateAt < end)
        {
            Envelope.putInt64(
                file, SnapshotFile.HEADER_BYTES - 24, Hashing.xxh3_64().hashBytesToLong(file, stateAt, end - stateAt));
        }
        final CRC32C crc = new CRC32C();
        crc.update(file, 0, end);
        new UnsafeBuffer(file).putInt(end, (int)crc.getValue(), ByteOrder.LITTLE_ENDIAN);
        return file;
    }

    @Test
    void shouldIgnoreOtherNamesLinksAndDirectories() throws IOException
    {
        snapshots();
        final Path snapshots = journal.resolve("snapshots");
        Files.createDirectory(snapshots.resolve(SnapshotStore.name(599)));
        Files.createSymbolicLink(snapshots.resolve(SnapshotStore.name(598)), files().get(0));
        Files.writeString(snapshots.resolve("snapshot-1"), "x");
        Files.writeString(snapshots.resolve(SnapshotStore.name(597) + ".1.part"), "x");

        assertEquals(List.of(), at(GROUPS).passedOver());
    }
}
