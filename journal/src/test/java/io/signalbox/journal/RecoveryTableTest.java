// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.SealEncoder;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.Scans.Range;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.Region;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.journal.segment.SegmentedLog;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every case of the recovery table that a file can cause, on a simulated disk. */
final class RecoveryTableTest
{
    private static final JournalConfig PROCESS = Runs.options(Durability.PROCESS);
    private static final int GROUPS = 10;

    private final SimulatedLog killed = SimulatedLog.open(GROUPS, PROCESS);
    private final MemoryFiles files = killed.files();
    private final List<Range> records = Scans.records(files, 0);

    @Test
    void shouldAcceptEveryRecordThatIsInPlace()
    {
        final ScanEnd end = Scans.read(SimulatedLog.sealed(GROUPS, PROCESS).files());

        assertEquals(GROUPS + 1, end.position().records());
        assertEquals(killed.chainAfter(GROUPS + 1), end.position().chain());
        assertTrue(end.sealed());
    }

    @Test
    void shouldEndWhereNothingWasWrittenAndSayThatItIsNotSealed()
    {
        final ScanEnd end = Scans.read(files);

        assertEquals(GROUPS + 1, end.position().records());
        assertFalse(end.sealed());
    }

    @Test
    void shouldCutATornAppendOnlyWhenOpeningToWrite()
    {
        final Range last = record(GROUPS);
        Arrays.fill(files.bytes(0), (int)last.to() - 20, (int)last.to(), (byte)0);

        final JournalException refusal = Scans.refusal(files);
        final ScanEnd end = Scans.recover(files);

        assertEquals(Kind.TORN_TAIL, refusal.kind());
        assertEquals(GROUPS, refusal.sequence());
        assertTrue(refusal.getMessage().contains("recover the journal once"), refusal.getMessage());
        assertEquals(GROUPS, end.position().records());
        assertEquals(killed.chainAfter(GROUPS), end.position().chain());
        assertEquals(last.from(), end.tail().cutFrom());
    }

    @Test
    void shouldCutARecordWhoseHeaderNeverReachedTheDisk()
    {
        final Range last = record(GROUPS);
        Arrays.fill(files.bytes(0), (int)last.from(), (int)last.from() + 4, (byte)0);

        assertEquals(Kind.TORN_TAIL, Scans.refusal(files).kind());
        assertEquals(GROUPS, Scans.recover(files).position().records());
    }

    @Test
    void shouldCutRowsWhoseGroupWasNotWritten()
    {
        killed.rows(3000);
        final MemoryFiles torn = killed.files();

        assertEquals(Kind.TORN_TAIL, Scans.refusal(torn).kind());
        final ScanEnd end = Scans.recover(torn);
        assertEquals(GROUPS + 1, end.position().records());
        assertEquals(killed.chainAfter(GROUPS + 1), end.position().chain());
        assertEquals(record(GROUPS).to() + 3 & -4, end.tail().cutFrom());
    }

    @Test
    void shouldAcceptACutThatTheNextSegmentDeclares()
    {
        final Range last = record(GROUPS);
        files.bytes(0)[(int)last.from() + 80] ^= 1;
        final MemoryFiles resumed = resume(files);

        final ScanEnd end = Scans.read(resumed);

        assertTrue(end.sealed());
        assertEquals(GROUPS, end.position().records());
        assertTrue(Scans.regions(resumed).stream().anyMatch(r -> r.region() == Region.CUT && r.from() == last.from()));
    }

    @Test
    void shouldAcceptRowsWithoutTheirGroupBehindACut()
    {
        killed.rows(3000);

        assertEquals(Ending.RECOVERED, Scans.read(resume(killed.files())).ending());
    }

    /** A process recovered the journal beside an active writer, which then continued. */
    @Test
    void shouldRefuseAJournalThatAWriterContinuedBehindADeclaredCut()
    {
        final Range last = record(GROUPS);
        final MemoryFiles earlier = files.copy();
        Arrays.fill(earlier.bytes(0), (int)last.from(), earlier.bytes(0).length, (byte)0);
        final MemoryFiles resumed = resume(earlier);
        assertEquals(GROUPS, Scans.read(resumed).position().records());
        resumed.replace(0, files.bytes(0));

        for (final JournalException refusal : List.of(Scans.refusal(resumed), refusalToRecover(resumed)))
        {
            assertEquals(Kind.TWO_WRITERS, refusal.kind());
            assertEquals(last.from(), refusal.offset());
            assertTrue(refusal.getMessage().contains("two processes wrote this journal"), refusal.getMessage());
            assertTrue(refusal.getMessage().contains("records 0 to 9 are good"), refusal.getMessage());
        }
    }

    /** After a segment whose writer was killed, only this shows that the last one is of another journal. */
    @Test
    void shouldRefuseALastSegmentThatIsNotTheOneBehindAKilledOne()
    {
        final MemoryFiles many = manySegments();
        final MemoryFiles others = SimulatedLog.sealed(1_700, Runs.smallSegments(Durability.BATCH)).files();
        final Map<String, byte[]> strangers = Map.of(
            "says that it belongs to segment 0", files.bytes(0),
            "says that it belongs to segment 2", many.bytes(2),
            "says that it belongs to segment 3", others.bytes(3));
        strangers.forEach((words, stranger) ->
        {
            final MemoryFiles found = new MemoryFiles(List.of(files.bytes(0).clone(), stranger.clone()));
            for (final JournalException refusal : List.of(Scans.refusal(found), refusalToRecover(found)))
            {
                assertTrue(refusal.getMessage().contains("segment-00001 does not begin with the continuation of segment 0"),
                    refusal.getMessage());
                assertTrue(refusal.getMessage().contains(words), refusal.getMessage());
                assertTrue(refusal.getMessage().contains("records 0 to 10 are good"), refusal.getMessage());
            }
        });
    }

    private static MemoryFiles resume(final MemoryFiles files)
    {
        final ScanEnd end = Scans.recover(files);
        final SimulatedDisk disk = SimulatedDisk.holding(files);
        final SegmentedLog log = new SegmentedLog(disk, PROCESS, end.position());
        log.openBehind(end.segments(), end.lastRecords(), end.lastSealed());
        log.seal(Ending.RECOVERED);
        return disk.files();
    }

    @Test
    void shouldRefuseStartWhenMiddleRecordIsCorrupt()
    {
        files.bytes(0)[(int)record(5).from() + 90] ^= 1;

        final JournalException refusal = Scans.refusal(files);

        assertEquals(Kind.CORRUPT_RECORD, refusal.kind());
        assertEquals(0, refusal.segment());
        assertEquals(record(5).from(), refusal.offset());
        assertEquals(5, refusal.sequence());
        assertTrue(refusal.getMessage().contains("records 0 to 4 are good"), refusal.getMessage());
        assertEquals(Kind.CORRUPT_RECORD, refusalToRecover(files).kind());
    }

    @Test
    void shouldRefuseADamagedRecordThatWasKnownToBeSynced()
    {
        final MemoryFiles synced = SimulatedLog.open(GROUPS, Runs.options(Durability.RECORD)).files();
        final Range damaged = Scans.records(synced, 0).get(5);
        synced.bytes(0)[(int)damaged.from() + 90] ^= 1;

        final JournalException refusal = refusalToRecover(synced);

        assertEquals(Kind.CORRUPT_RECORD, refusal.kind());
        assertTrue(refusal.getMessage().contains("knows it to have been synced"), refusal.getMessage());
    }

    @Test
    void shouldRefuseWhenARecordWasLost()
    {
        final Range lost = record(5);
        final byte[] bytes = files.bytes(0);
        final int next = (int)record(6).from();
        final byte[] shorter = new byte[bytes.length];
        System.arraycopy(bytes, 0, shorter, 0, (int)lost.from());
        System.arraycopy(bytes, next, shorter, (int)lost.from(), bytes.length - next);
        files.replace(0, shorter);

        final JournalException refusal = Scans.refusal(files);

        assertEquals(Kind.SEQUENCE_GAP, refusal.kind());
        assertTrue(refusal.getMessage().contains("sequence 6 in the place of 5"), refusal.getMessage());
    }

    @Test
    void shouldRefuseARecordOfAnotherJournal()
    {
        final SimulatedLog other = new SimulatedLog(new SimulatedDisk(), PROCESS);
        for (int i = 0; i < GROUPS; i++)
        {
            other.note(i + 100, 20 + i * 37 % 300);
        }
        final Range foreign = record(5);
        System.arraycopy(other.files().bytes(0), (int)foreign.from(), files.bytes(0), (int)foreign.from(),
            (int)(foreign.to() - foreign.from()));

        final JournalException refusal = Scans.refusal(files);

        assertEquals(Kind.FOREIGN_FILE, refusal.kind());
        assertEquals(5, refusal.sequence());
    }

    @Test
    void shouldRefuseRecordsThatStandAtAnotherPlace()
    {
        final byte[] bytes = files.bytes(0);
        final int from = (int)record(5).from();
        final byte[] index = {7, 0, 0, 0x40, (byte)0xB9, 5, 'i', 'n', 'd', 'e', 'x', 0};
        final byte[] shifted = Arrays.copyOf(bytes, bytes.length + index.length);
        System.arraycopy(index, 0, shifted, from, index.length);
        System.arraycopy(bytes, from, shifted, from + index.length, bytes.length - from);
        files.replace(0, shifted);

        final JournalException refusal = Scans.refusal(files);

        assertEquals(Kind.FOREIGN_FILE, refusal.kind());
        assertEquals(5, refusal.sequence());
    }

    @Test
    void shouldNotTakeACopyOfARecordInsideATornTailForARecord()
    {
        final Range last = record(GROUPS);
        final Range copied = record(3);
        final byte[] torn = Arrays.copyOf(files.bytes(0), (int)last.to() + 4096);
        torn[(int)last.from() + 90] ^= 1;
        System.arraycopy(torn, (int)copied.from(), torn, (int)last.to() + 100 & -4, (int)(copied.to() - copied.from()));
        files.replace(0, torn);

        assertEquals(Kind.TORN_TAIL, Scans.refusal(files).kind());
        assertEquals(GROUPS, Scans.recover(files).position().records());
    }

    @Test
    void shouldRefuseAnOlderAndANewerSchemaAndNameItsVersion()
    {
        for (final int version : new int[] {3, Envelope.SCHEMA_VERSION + 1, 77})
        {
            rewrite(5, 10, version);

            final JournalException refusal = Scans.refusal(files);

            assertEquals(Kind.UNSUPPORTED_VERSION, refusal.kind());
            assertTrue(refusal.getMessage().contains("schema version " + version + ","), refusal.getMessage());
            assertTrue(refusal.getMessage().contains("the version of Signalbox that wrote it"), refusal.getMessage());
        }
    }

    @Test
    void shouldRefuseARecordOfUnknownType()
    {
        rewrite(5, 8, 99);

        final JournalException refusal = Scans.refusal(files);

        assertEquals(Kind.UNSUPPORTED_VERSION, refusal.kind());
        assertTrue(refusal.getMessage().contains("type 99"), refusal.getMessage());
    }

    /** The CRC covers each of them; only a faulty writer, or a user with write access, gets one wrong. */
    @Test
    void shouldRefuseASealWhoseCountsAreNotThoseOfTheRecordsAheadOfIt()
    {
        final MemoryFiles control = SimulatedLog.sealed(GROUPS, PROCESS).files();
        final Range seal = Scans.records(control, 0).get(GROUPS + 1);
        final int counts = Envelope.LENGTH + MessageHeaderEncoder.ENCODED_LENGTH;
        final int[] fields = {SealEncoder.recordsEncodingOffset(), SealEncoder.groupsEncodingOffset(),
            SealEncoder.chainEncodingOffset()};
        for (final int field : fields)
        {
            final MemoryFiles altered = control.copy();
            rewrite(altered, seal, counts + field, 99);

            final JournalException refusal = Scans.refusal(altered);

            assertEquals(Kind.FOREIGN_FILE, refusal.kind(), "field at " + field);
            assertTrue(refusal.getMessage().contains("counts"), refusal.getMessage());
        }
    }

    /** Every message has another length; those with groups are read beyond the payload. */
    @Test
    void shouldRefuseASealWhosePayloadIsAnotherMessage()
    {
        final MemoryFiles control = SimulatedLog.sealed(GROUPS, PROCESS).files();
        final Range seal = Scans.records(control, 0).get(GROUPS + 1);
        for (int templateId = 0; templateId < 256; templateId++)
        {
            if (templateId != SealEncoder.TEMPLATE_ID)
            {
                final MemoryFiles altered = control.copy();
                rewrite(altered, seal, Envelope.LENGTH + MessageHeaderEncoder.templateIdEncodingOffset(), templateId);

                assertEquals(Kind.FOREIGN_FILE, Scans.refusal(altered).kind(), "template " + templateId);
            }
        }
    }

    /** Changes a byte of a record's envelope and makes its CRC fit again. */
    private void rewrite(final int number, final int at, final int value)
    {
        rewrite(files, record(number), at, value);
    }

    private static void rewrite(final MemoryFiles files, final Range range, final int at, final int value)
    {
        final int start = (int)range.from() + 4;
        final int length = (int)range.to() - start;
        final byte[] record = Arrays.copyOfRange(files.bytes(0), start, start + length);
        record[at] = (byte)value;
        Envelope.putCrc(record, length, new CRC32C());
        System.arraycopy(record, 0, files.bytes(0), start, length);
    }

    @Test
    void shouldSayThatNothingIsLeftWhereTheFirstSegmentIsMissing()
    {
        final MemoryFiles many = manySegments();
        many.replace(0, null);

        final JournalException refusal = Scans.refusal(many);

        assertEquals(Kind.MISSING_SEGMENT, refusal.kind());
        assertTrue(refusal.getMessage().contains("nothing is left to read"), refusal.getMessage());
    }

    @Test
    void shouldRefuseASegmentMissingInTheMiddle()
    {
        final MemoryFiles many = manySegments();
        many.replace(1, null);

        final JournalException refusal = Scans.refusal(many);

        assertEquals(Kind.MISSING_SEGMENT, refusal.kind());
        assertEquals(1, refusal.segment());
        assertTrue(refusal.getMessage().contains("segment-00001"), refusal.getMessage());
    }

    @Test
    void shouldRefuseALastSegmentThatASealPromises()
    {
        final MemoryFiles many = manySegments();
        many.removeLast();

        final JournalException refusal = Scans.refusal(many);

        assertEquals(Kind.MISSING_SEGMENT, refusal.kind());
        assertEquals(many.segmentCount(), refusal.segment());
    }

    private static MemoryFiles manySegments()
    {
        final MemoryFiles many = SimulatedLog.sealed(1_500, Runs.smallSegments(Durability.PROCESS)).files();
        assertTrue(many.segmentCount() > 3);
        return many;
    }

    @Test
    void shouldRefuseAnEndAheadOfFurtherRecords()
    {
        final Range zeroed = record(5);
        Arrays.fill(files.bytes(0), (int)zeroed.from(), (int)zeroed.to(), (byte)0);

        final JournalException refusal = Scans.refusal(files);

        assertEquals(Kind.SHORT_READ, refusal.kind());
        assertTrue(refusal.getMessage().contains("sequence 6 follows later"), refusal.getMessage());
        assertEquals(Kind.SHORT_READ, refusalToRecover(files).kind());
    }

    @Test
    void shouldRefuseAnEndAheadOfASegmentThatGoesOn()
    {
        final MemoryFiles many = manySegments();
        final List<Range> second = Scans.records(many, 1);
        final int from = (int)second.get(second.size() - 3).from();
        Arrays.fill(many.bytes(1), from, many.bytes(1).length, (byte)0);

        final JournalException refusal = Scans.refusal(many);

        assertEquals(Kind.SHORT_READ, refusal.kind());
        assertEquals(1, refusal.segment());
        assertTrue(refusal.getMessage().contains("a later segment continues"), refusal.getMessage());
    }

    @Test
    void shouldNeverPassADamagedSealAsSealed()
    {
        final MemoryFiles control = SimulatedLog.sealed(GROUPS, PROCESS).files();
        final List<Range> all = Scans.records(control, 0);
        final Range seal = all.get(all.size() - 1);
        for (long at = seal.from(); at < seal.to(); at++)
        {
            final MemoryFiles damaged = control.copy();
            damaged.bytes(0)[(int)at] ^= 4;
            assertEquals(Kind.TORN_TAIL, Scans.refusal(damaged).kind(), "byte " + at);
        }
    }

    @Test
    void shouldRefuseADamagedSealAheadOfAnotherSegment()
    {
        final MemoryFiles many = manySegments();
        final List<Range> first = Scans.records(many, 0);
        many.bytes(0)[(int)first.get(first.size() - 1).from() + 30] ^= 1;

        assertEquals(Kind.CORRUPT_RECORD, Scans.refusal(many).kind());
    }

    private Range record(final int number)
    {
        return records.get(number);
    }

    private static JournalException refusalToRecover(final MemoryFiles damaged)
    {
        return assertThrows(JournalException.class, () -> Scans.recover(damaged));
    }
}
