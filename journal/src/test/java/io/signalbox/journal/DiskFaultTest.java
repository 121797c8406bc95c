// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalLock;
import io.signalbox.journal.segment.RecordType;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.journal.segment.SegmentedLog;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Guarantees of the writer on a disk that fails: at each of its first 40 writes and syncs, full 2,000. */
final class DiskFaultTest
{
    private static final int GROUPS = TestStrength.count(40, 2_000);

    @TempDir
    Path directory;

    private JournalWriter open(final SimulatedDisk disk, final Durability durability)
    {
        return JournalWriter.create(
            directory, JournalLock.acquireUnsigned(directory), disk, Runs.settings(), Runs.options(durability));
    }

    private static void append(final JournalWriter writer, final int number)
    {
        final UnsafeBuffer group = Runs.note(number, number * 31 % 200);
        writer.append(number, group, 0, group.capacity(), null);
    }

    @Test
    void shouldLeaveNothingInTheWayOfTheNextAttemptWhereTheDiskIsFullAtTheStart()
    {
        final JournalConfig options = Runs.options(Durability.PROCESS);
        try (JournalLock lock = JournalLock.acquireUnsigned(directory))
        {
            assertEquals(Kind.DISK_FULL, assertThrows(JournalException.class, () -> JournalWriter.create(
                directory, lock, FullDiskStore.in(directory), Runs.settings(), options)).kind());
        }

        Runs.write(directory, 3, options);

        assertEquals(4, Scans.read(DirectoryFiles.of(directory)).position().records());
    }

    @Test
    void shouldSyncEachGroupAtRecordAndEachBatchAtBatchAndNothingAtProcess()
    {
        assertEquals(1 + 6 + 1, syncs(Durability.RECORD));
        assertEquals(1 + 2 + 1, syncs(Durability.BATCH));
        assertEquals(0, syncs(Durability.PROCESS));
    }

    /** Six groups in two batches; one sync more for the run description and one for the seal. */
    private int syncs(final Durability durability)
    {
        final SimulatedDisk disk = new SimulatedDisk();
        try (JournalWriter writer = open(disk, durability))
        {
            for (int i = 0; i < 6; i++)
            {
                append(writer, i);
                if (i % 3 == 2)
                {
                    writer.endOfBatch();
                    writer.endOfBatch();
                }
            }
        }
        return disk.syncs();
    }

    @Test
    void shouldStopAcknowledgingWhenTheDiskIsFullAndCloseCleanly()
    {
        for (int write = 1; write < GROUPS; write++)
        {
            final SimulatedDisk disk = new SimulatedDisk().fullAtWrite(write);
            final JournalWriter writer = open(disk, Durability.PROCESS);
            final int acknowledged = appendUntilRefused(writer, Kind.DISK_FULL);
            assertEquals(Kind.CLOSED, assertThrows(JournalException.class, () -> append(writer, 99)).kind());
            writer.close();

            final ScanEnd end = Scans.read(disk.files());
            assertEquals(acknowledged, end.position().groups());
            assertEquals(Ending.DISK_FULL, end.ending());
        }
    }

    /** Requests are refused ahead of the journal's end; what has begun is written; with room again they are accepted. */
    @Test
    void shouldRefuseRequestsWhileLessThanTheReserveIsFree()
    {
        final SimulatedDisk disk = new SimulatedDisk().holding(60_000, 40_000);
        final JournalWriter writer = open(disk, Durability.PROCESS);
        int written = 0;
        while (writer.refusesRequests() == null)
        {
            append(writer, written++);
        }
        assertTrue(written > 20, written + " groups");
        assertTrue(writer.refusesRequests().contains("less room than its reserve of 16.0 MiB"), writer.refusesRequests());
        for (int i = 0; i < 100; i++)
        {
            append(writer, written++);
        }
        disk.holding(1_000_000, 40_000);
        assertNull(writer.refusesRequests(), "the disk has room, though nothing was written since");
        append(writer, written++);
        assertNull(writer.refusesRequests());
        disk.holding(50_000, 40_000);
        written += appendUntilRefused(writer, Kind.DISK_FULL);
        assertNotNull(writer.refusesRequests());
        writer.close();

        final ScanEnd end = Scans.read(disk.files());
        assertEquals(written, end.position().groups());
        assertEquals(Ending.DISK_FULL, end.ending());
    }

    /** A segment with its reserve is left only for one that can begin. */
    @Test
    void shouldStayInASegmentWhileTheDiskHasNoRoomForTheNext()
    {
        final JournalConfig small = Runs.smallSegments(Durability.PROCESS);
        final SimulatedDisk disk = new SimulatedDisk().holding(1_000_000, 500_000);
        try (JournalWriter writer = JournalWriter.create(
            directory, JournalLock.acquireUnsigned(directory), disk, Runs.settings(), small))
        {
            while (writer.bytes() < 3 * small.segmentBytes())
            {
                append(writer, 7);
            }
            assertEquals(1, writer.segments());
            assertTrue(writer.refusesRequests().contains("free some space"), writer.refusesRequests());
            disk.holding(1L << 30, 500_000);
            append(writer, 7);
            assertEquals(2, writer.segments());
            assertNull(writer.refusesRequests());
        }
        assertEquals(Ending.CLOSED, Scans.read(disk.files()).ending());
    }

    @Test
    void shouldNotSayThatARunEndedWhichFailed()
    {
        final SimulatedDisk disk = new SimulatedDisk();
        final JournalWriter writer = open(disk, Durability.PROCESS);
        append(writer, 0);
        writer.cutShort();
        writer.close();

        assertEquals(Ending.FAILED, Scans.read(disk.files()).ending());
    }

    @Test
    void shouldNameTheFullDiskAlsoWhenTheRunFailedOfIt()
    {
        final SimulatedDisk disk = new SimulatedDisk().fullAtWrite(7);
        final JournalWriter writer = open(disk, Durability.PROCESS);
        appendUntilRefused(writer, Kind.DISK_FULL);
        writer.cutShort();
        writer.close();

        assertEquals(Ending.DISK_FULL, Scans.read(disk.files()).ending());
    }

    private static int appendUntilRefused(final JournalWriter writer, final Kind kind)
    {
        int acknowledged = 0;
        while (true)
        {
            try
            {
                append(writer, acknowledged);
                writer.endOfBatch();
            }
            catch (final JournalException e)
            {
                assertEquals(kind, e.kind());
                return acknowledged;
            }
            acknowledged++;
        }
    }

    @Test
    void shouldTakeAFaultOfMappedMemoryAsFatal()
    {
        for (int write = 1; write < GROUPS; write++)
        {
            final SimulatedDisk disk = new SimulatedDisk().faultAtWrite(write);
            final JournalWriter writer = open(disk, Durability.PROCESS);
            final int acknowledged = appendUntilRefused(writer, Kind.STORE_FAILED);
            assertEquals(Kind.CLOSED, assertThrows(JournalException.class, () -> append(writer, 99)).kind());
            writer.close();

            assertEquals(write + 1, disk.writes(), "something was written after the fault");
            final ScanEnd end = Scans.recover(disk.files());
            assertEquals(acknowledged, end.position().groups());
            assertFalse(end.sealed());
        }
    }

    @Test
    void shouldNeverRetryAFailedSync()
    {
        for (final Durability durability : new Durability[] {Durability.BATCH, Durability.RECORD})
        {
            for (int sync = 1; sync < GROUPS; sync++)
            {
                final SimulatedDisk disk = new SimulatedDisk().failSync(sync);
                final JournalWriter writer = open(disk, durability);
                final int acknowledged = appendUntilRefused(writer, Kind.SYNC_FAILED);
                writer.close();

                assertEquals(sync + 1, disk.syncs());
                assertTrue(Scans.read(disk.files()).position().groups() >= acknowledged);
            }
        }
    }

    @Test
    void shouldRefuseAJournalInWhichAWriteWasLostOrMisdirected()
    {
        for (int write = 1; write < GROUPS - 1; write++)
        {
            final SimulatedDisk lost = new SimulatedDisk().loseWrite(write);
            final SimulatedDisk misdirected = new SimulatedDisk().misdirectWrite(write);
            writeAll(lost);
            writeAll(misdirected);

            assertThrows(JournalException.class, () -> Scans.recover(lost.files()), "write " + write);
            assertThrows(JournalException.class, () -> Scans.recover(misdirected.files()), "write " + write);
        }
    }

    private void writeAll(final SimulatedDisk disk)
    {
        try (JournalWriter writer = open(disk, Durability.PROCESS))
        {
            for (int i = 0; i < GROUPS; i++)
            {
                append(writer, i);
            }
        }
    }

    /** Power is lost at a random moment: reduced 2,000 times, full 100,000 times. */
    @Test
    void shouldKeepEverySyncedGroupThroughPowerLossOrRefuse()
    {
        final Random random = new Random(6);
        int recovered = 0;
        int refused = 0;
        for (int i = 0; i < TestStrength.count(2_000, 100_000); i++)
        {
            final int batch = 1 + random.nextInt(6);
            final SimulatedLog log = new SimulatedLog(new SimulatedDisk(), Runs.smallSegments(Durability.BATCH));
            final int acknowledged = writeBatches(log, batch, random);
            final MemoryFiles found = log.disk().afterPowerLoss(random);
            try
            {
                checkRecovery(log, found, acknowledged);
                recovered++;
            }
            catch (final JournalException e)
            {
                // Sectors persist in any order, so a later record may be whole although an earlier one is not.
                assertTrue(e.kind() == Kind.CORRUPT_RECORD || e.kind() == Kind.SHORT_READ, e.getMessage());
                assertTrue(e.sequence() > acknowledged, "an acknowledged group is among the bad: " + e.getMessage());
                refused++;
            }
        }
        assertTrue(recovered > 2 * refused, recovered + " recovered, " + refused + " refused");
    }

    /** Writes some whole batches and a part of one more; returns the groups that a sync has covered. */
    private static int writeBatches(final SimulatedLog log, final int batch, final Random random)
    {
        int written = 0;
        log.log().sync();
        final int batches = random.nextInt(8);
        for (int i = 0; i < batches * batch; i++)
        {
            log.note(written++, random.nextInt(900));
            if (written % batch == 0)
            {
                log.log().sync();
            }
        }
        final int unsynced = random.nextInt(batch + 1);
        for (int i = 0; i < unsynced; i++)
        {
            log.note(written++, random.nextInt(900));
        }
        return written - unsynced;
    }

    private static void checkRecovery(final SimulatedLog log, final MemoryFiles found, final int acknowledged)
    {
        final ScanEnd end = Scans.recover(found);
        assertTrue(end.position().groups() >= acknowledged);
        assertEquals(log.chainAfterGroups(end.position().groups()), end.position().chain());

        final SimulatedDisk disk = SimulatedDisk.holding(found);
        final SegmentedLog resumed = new SegmentedLog(disk, Runs.options(Durability.BATCH), end.position());
        resumed.openBehind(end.segments(), end.lastRecords(), end.lastSealed());
        final UnsafeBuffer group = Runs.note(1, 10);
        resumed.append(RecordType.GROUP, 1, group, 0, group.capacity());
        resumed.seal(Ending.CLOSED);
        final ScanEnd whole = Scans.read(disk.files());
        assertTrue(whole.sealed());
        assertEquals(end.position().groups() + 1, whole.position().groups());
    }
}
