// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import com.dynatrace.hash4j.hashing.Hashing;
import com.sun.management.ThreadMXBean;
import io.signalbox.TestStrength;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.journal.segment.SegmentStart;
import io.signalbox.journal.segment.SegmentSums;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SchedulerStore;
import io.signalbox.journal.snapshot.SnapshotFile;
import io.signalbox.journal.snapshot.SnapshotFiles.Named;
import io.signalbox.journal.snapshot.SnapshotFiles;
import io.signalbox.journal.snapshot.SnapshotStore;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Writes a length that is too large, with a right checksum, at each place of each file next to the records: the file is not
 * used or its content is the same, and a reader does not allocate much more memory than the file itself.
 */
final class ForgedLengthsTest
{
    private static final int GROUPS = 600;
    private static final int EVERY = 150;
    private static final long[] LENGTHS = {(1L << 28) - 1, (1L << 28) - 2, (1L << 31) - 1, -1};
    private static final int PLACES = TestStrength.count(40, 4_000);
    /** Of the memory that a reader takes for a right file, its own buffers included. */
    private static final long MOST_PER_BYTE = 64;
    private static final long BUFFERS = 1 << 20;

    @TempDir
    private Path directory;
    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    /** Reads an existing file; throws an exception of this program if the file is not used. */
    interface Reader
    {
        void read() throws Exception;
    }

    private Path written()
    {
        final Path journal = directory.resolve("journal");
        Runs.write(journal, GROUPS, Runs.smallSegments(Durability.PROCESS));
        assertTrue(new ReplayFollower(journal, EVERY, DpRouters.installed()).follow(ReadProgress.NONE));
        new SnapshotFollower(journal, EVERY, SnapshotFiles.ALWAYS_KEPT).follow(ReadProgress.NONE, true);
        return journal;
    }

    @Test
    void shouldNotTakeMemoryForALengthThatTheFileDoesNotHave() throws Exception
    {
        final Path journal = written();
        final Named scheduler = new SchedulerStore(journal).newestFirst().get(0);
        final Named state = new SnapshotStore(journal, SnapshotFiles.ALWAYS_KEPT).newestFirst().get(0);
        final Path sums = journal.resolve(SegmentName.sumsOf(0));
        final Path beginning = Files.createDirectory(directory.resolve("shortened")).resolve(JournalBeginning.FILE);
        beginning(journal).write(beginning.getParent());
        Files.delete(beginning.resolveSibling(JournalBeginning.COPY));

        forge(scheduler.file(), false, () -> SchedulerStore.read(scheduler, DpRouters.installed()));
        forge(state.file(), true, () -> SnapshotStore.read(state));
        forge(sums, false, () -> SegmentSums.readOrNull(journal, 0));
        forge(beginning, false, () -> JournalBeginning.of(beginning.getParent()));
    }

    private static JournalBeginning beginning(final Path journal)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            return new JournalBeginning(new SegmentStart(1, new JournalPosition(100, 99, 7, 10_000), 100, true), 1, 9, 1, 3,
                "policy-3", List.of(new EarlierRequest(1, 2, 3, 4), new EarlierRequest(5, 6, 7, 8)), reader.settings());
        }
    }

    private void forge(final Path file, final boolean isState, final Reader reader) throws Exception
    {
        final byte[] whole = Files.readAllBytes(file);
        reader.read();
        final long most = allocated(reader) + BUFFERS + MOST_PER_BYTE * whole.length;
        final int step = Math.max(1, whole.length / PLACES);
        for (int place = 0; place < whole.length - Long.BYTES - Integer.BYTES; place += step)
        {
            for (final long length : LENGTHS)
            {
                for (final ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN))
                {
                    require(file, forged(whole, place, Integer.BYTES, length, order, isState), most, reader);
                    require(file, forged(whole, place, Long.BYTES, length, order, isState), most, reader);
                }
            }
        }
        Files.write(file, whole);
    }

    private void require(final Path file, final byte[] forged, final long most, final Reader reader) throws Exception
    {
        Files.write(file, forged);
        final long allocated = allocated(reader);
        assertTrue(allocated <= most, () -> file + " takes " + allocated + " bytes, and at most " + most + " are right");
    }

    private long allocated(final Reader reader) throws Exception
    {
        final long before = threads.getCurrentThreadAllocatedBytes();
        try
        {
            reader.read();
        }
        catch (final UnfitSnapshotException | JournalException e)
        {
            assertTrue(e.getMessage().length() > 10, e.getMessage());
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static byte[] forged(
        final byte[] whole, final int place, final int bytes, final long value, final ByteOrder order, final boolean isState)
        throws IOException
    {
        final byte[] forged = whole.clone();
        final ByteBuffer fields = ByteBuffer.wrap(forged).order(order);
        if (bytes == Integer.BYTES)
        {
            fields.putInt(place, (int)value);
        }
        else
        {
            fields.putLong(place, value);
        }
        final int end = forged.length - Integer.BYTES;
        final long settingsLength = isState ? Envelope.int64(forged, SnapshotFile.HEADER_BYTES - 16) : -1;
        if (settingsLength >= 0 && settingsLength < end - SnapshotFile.HEADER_BYTES)
        {
            final int stateAt = SnapshotFile.HEADER_BYTES + (int)settingsLength;
            Envelope.putInt64(forged, SnapshotFile.HEADER_BYTES - 24,
                Hashing.xxh3_64().hashBytesToLong(forged, stateAt, end - stateAt));
        }
        fields.order(ByteOrder.LITTLE_ENDIAN).putInt(end, SegmentSums.crc(forged, end));
        return forged;
    }
}
