// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.Scans.Range;
import io.signalbox.journal.segment.JournalFiles;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.Region;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.scheduler.Scheduler;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Journals that Chronicle Queue writes. */
final class ChronicleJournalTest
{
    private static final TimeProvider STANDING_CLOCK = () -> 0L;

    @TempDir
    Path temporary;

    @Test
    void shouldReadWhatChroniclesOwnTailerReads()
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 2_000, Runs.smallSegments(Durability.PROCESS));
        final MemoryFiles files = MemoryFiles.copyOf(journal);
        assertTrue(files.segmentCount() > 2);
        for (int segment = 0; segment < files.segmentCount(); segment++)
        {
            final List<byte[]> ours = new ArrayList<>();
            for (final Range range : Scans.records(files, segment))
            {
                ours.add(Arrays.copyOfRange(files.bytes(segment), (int)range.from() + 4, (int)range.to()));
            }
            final List<byte[]> theirs = tail(journal.resolve(SegmentName.of(segment)));
            assertEquals(ours.size(), theirs.size());
            for (int i = 0; i < ours.size(); i++)
            {
                assertArrayEquals(ours.get(i), theirs.get(i));
            }
        }
    }

    private static List<byte[]> tail(final Path segment)
    {
        final List<byte[]> records = new ArrayList<>();
        try (SingleChronicleQueue queue = SingleChronicleQueueBuilder.binary(segment).rollCycle(RollCycles.FAST_DAILY)
            .timeProvider(STANDING_CLOCK).blockSize(Runs.SMALL_BLOCK).readOnly(true).build();
            ExcerptTailer tailer = queue.createTailer())
        {
            boolean more = true;
            while (more)
            {
                try (DocumentContext document = tailer.readingDocument())
                {
                    more = document.isPresent();
                    if (more)
                    {
                        final Bytes<?> bytes = document.wire().bytes();
                        final byte[] record = new byte[(int)bytes.readRemaining()];
                        bytes.read(record);
                        records.add(record);
                    }
                }
            }
        }
        return records;
    }

    /** Reduced: 500 bits. Full: 20,000. */
    @Test
    void shouldNeverVerifyWronglyWithAFlippedBit()
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 300, Runs.smallSegments(Durability.PROCESS));
        final MemoryFiles files = MemoryFiles.copyOf(journal);
        final Verification control = verify(files);
        assertTrue(control.matches() && control.ending().isSealed());
        final List<Range> regions = Scans.regions(files);
        final Map<Region, Integer> harmless = new EnumMap<>(Region.class);
        final Random random = new Random(4);
        int refused = 0;
        for (int i = 0; i < TestStrength.count(500, 20_000); i++)
        {
            final Range range = choose(regions, random, i % 5 != 0);
            final byte[] bytes = files.bytes(range.segment());
            final int at = (int)(range.from() + random.nextInt((int)(range.to() - range.from())));
            final byte bit = (byte)(1 << random.nextInt(8));
            bytes[at] ^= bit;
            if (isRefused(files, control))
            {
                refused++;
            }
            else
            {
                assertTrue(range.region() != Region.RECORD, () -> "byte " + at + " of " + range);
                harmless.merge(range.region(), 1, Integer::sum);
            }
            bytes[at] ^= bit;
        }
        assertTrue(refused >= TestStrength.count(400, 16_000), "refused " + refused + ", harmless " + harmless);
        assertEquals(control, verify(files));
    }

    private static Range choose(final List<Range> regions, final Random random, final boolean record)
    {
        final List<Range> candidates =
            regions.stream().filter(r -> (r.region() == Region.RECORD) == record).toList();
        return candidates.get(random.nextInt(candidates.size()));
    }

    /** True for a refusal, false for a verification that is true all the same; anything else fails the test. */
    private static boolean isRefused(final MemoryFiles files, final Verification control)
    {
        try
        {
            assertEquals(control, verify(files));
            return false;
        }
        catch (final JournalException e)
        {
            // A journal that has lost its first record is named as a whole: none of its segments can be trusted.
            assertTrue(e.kind() == Kind.NO_RECORD || e.getMessage().contains("segment-"), e.getMessage());
            assertTrue(e.getMessage().endsWith("."), e.getMessage());
            return true;
        }
    }

    private static Verification verify(final JournalFiles files)
    {
        try (JournalReader reader = JournalReader.of(JournalScanner.reading(files, null)))
        {
            return JournalVerifier.verify(reader, Scheduler::new);
        }
    }

    @Test
    void shouldVerifyWhateverChroniclesOtherFilesHold() throws IOException
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 100, Runs.options(Durability.PROCESS));
        final Verification control = JournalVerifier.verify(journal, Scheduler::new);
        final byte[] garbage = new byte[5_000];
        new Random(5).nextBytes(garbage);
        Files.write(journal.resolve("segment-00000/metadata.cq4t"), garbage);
        Files.write(journal.resolve("lock"), garbage);
        Files.write(journal.resolve("notes.txt"), garbage);

        assertEquals(control, JournalVerifier.verify(journal, Scheduler::new));
    }

    @Test
    void shouldNameEveryByteOfASegment()
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 100, Runs.options(Durability.PROCESS));
        final MemoryFiles files = MemoryFiles.copyOf(journal);
        long next = 0;
        for (final Range range : Scans.regions(files))
        {
            assertEquals(next, range.from());
            next = range.to();
        }
        assertEquals(files.bytes(0).length, next);
    }

    @Test
    void shouldKeepFilesForTheirOwnerOnly() throws IOException
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 10, Runs.options(Durability.PROCESS));
        try (Stream<Path> paths = Files.walk(journal))
        {
            for (final Path path : (Iterable<Path>)paths::iterator)
            {
                assertEquals(Files.isDirectory(path) ? "rwx------" : "rw-------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(path)), path.toString());
            }
        }
    }

    @Test
    void shouldRefuseASecondWriterAndNameTheFirst()
    {
        final Path journal = temporary.resolve("journal");
        try (JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            final JournalException second = assertThrows(JournalException.class,
                () -> JournalWriter.create(writer.path(), Runs.settings(), Runs.options(Durability.PROCESS)));
            final JournalException recovery =
                assertThrows(JournalException.class, () -> JournalRecovery.recover(journal));

            assertEquals(Kind.LOCKED, second.kind());
            assertEquals(Kind.LOCKED, recovery.kind());
            assertTrue(second.getMessage().contains("pid " + ProcessHandle.current().pid()), second.getMessage());
        }
    }

    @Test
    void shouldRefuseToBeginWhereAJournalIs()
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 1, Runs.options(Durability.PROCESS));

        final JournalException refusal = assertThrows(JournalException.class, () ->
            JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)));

        assertEquals(Kind.ALREADY_EXISTS, refusal.kind());
    }

    @Test
    void shouldRefuseWhatIsNoJournal()
    {
        assertEquals(Kind.NOT_A_JOURNAL, assertThrows(
            JournalException.class, () -> JournalReader.open(temporary.resolve("nowhere"))).kind());
        assertEquals(Kind.NOT_A_JOURNAL, assertThrows(
            JournalException.class, () -> JournalReader.open(temporary)).kind());
        assertEquals(Kind.NOT_A_JOURNAL, assertThrows(
            JournalException.class, () -> JournalRecovery.recover(temporary)).kind());
    }

    @Test
    void shouldCutATornSealAndCloseOnce() throws IOException
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 10, Runs.options(Durability.PROCESS));
        damageLastRecord(journal.resolve("segment-00000/19700101F.cq4"));

        final JournalException torn = assertThrows(JournalException.class, () -> read(journal));
        final JournalRecovery.Recovery recovery = JournalRecovery.recover(journal);

        assertEquals(Kind.TORN_TAIL, torn.kind());
        assertFalse(recovery.nothingToDo());
        assertEquals(11, recovery.records());
        assertEquals(recovery.cutBytes(), Files.size(recovery.cutFile()));
        assertTrue(recovery.cutBytes() > 0);
        assertEquals(recovery.digest(), read(journal));
        assertEquals(0, JournalRecovery.recover(journal).cutBytes());
        assertTrue(Files.isDirectory(journal.resolve("segment-00001")));
        assertFalse(Files.isDirectory(journal.resolve("segment-00002")));
    }

    /** Damages the seal: the journal then ends as if its writer had been killed while it closed. */
    private static void damageLastRecord(final Path file) throws IOException
    {
        final byte[] bytes = Files.readAllBytes(file);
        int last = bytes.length - 1;
        while (bytes[last] == 0)
        {
            last--;
        }
        bytes[last] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void shouldIgnoreAnEmptySegmentBehindAClosingSeal() throws IOException
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 10, Runs.options(Durability.PROCESS));
        Files.createDirectory(journal.resolve("segment-00001"));

        assertTrue(isSealed(journal));
        assertTrue(JournalRecovery.recover(journal).nothingToDo());
        assertTrue(Files.isDirectory(journal.resolve("segment-00001")));
    }

    @Test
    void shouldNotCallAJournalClosedBehindWhoseSealAnotherFileOfRecordsWasBegun() throws IOException
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 10, Runs.options(Durability.PROCESS));
        Files.createDirectory(journal.resolve("segment-00001"));
        Files.createFile(journal.resolve("segment-00001/19700101F.cq4"));

        assertFalse(isSealed(journal));
        final JournalRecovery.Recovery recovery = JournalRecovery.recover(journal);

        assertEquals(11, recovery.records());
        assertTrue(Files.isDirectory(journal.resolve("segment-00001.cut")));
        assertTrue(isSealed(journal));
    }

    private static boolean isSealed(final Path journal)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            drain(reader);
            return reader.ending().isSealed();
        }
    }

    private static String read(final Path journal)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            drain(reader);
            return reader.digest();
        }
    }

    private static void drain(final JournalReader reader)
    {
        boolean more = true;
        while (more)
        {
            more = reader.next();
        }
    }

    @Test
    void shouldTakeAGroupLongerThanItsSegmentsBlocks()
    {
        final Path journal = temporary.resolve("journal");
        final int[] sizes = {10, 300_000, 10, 1_000_000, 20};
        try (JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            for (int i = 0; i < sizes.length; i++)
            {
                writer.append(i, Runs.note(i, sizes[i]), 0, Runs.note(i, sizes[i]).capacity(), null);
            }
            assertEquals(3, writer.segments());
        }
        try (JournalReader reader = JournalReader.open(journal))
        {
            for (int i = 0; i < sizes.length; i++)
            {
                assertTrue(reader.next());
                assertEquals(Runs.note(i, sizes[i]), reader.group());
            }
            assertFalse(reader.next());
        }
    }
}
