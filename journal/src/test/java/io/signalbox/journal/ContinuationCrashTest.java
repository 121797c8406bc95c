// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.journal.segment.RecordType;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.journal.segment.SegmentedLog;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A crash at every byte of a continuation, and power losses within it, on a simulated disk: what was acknowledged stays,
 * and the journal is continued again. Reduced: every 3rd byte and 500 power losses; full: every byte and 20,000.
 */
final class ContinuationCrashTest
{
    private static final JournalConfig PROCESS = Runs.options(Durability.PROCESS);
    private static final JournalConfig RECORD = Runs.options(Durability.RECORD);
    private static final int BEFORE = 4;
    private static final int AFTER = 4;

    /** A journal of four groups with a torn fifth one, continued by four groups. */
    private static MemoryFiles continued(final MemoryFiles files, final JournalConfig options)
    {
        return continued(SimulatedDisk.holding(files), files, options).files();
    }

    private static SimulatedDisk continued(
        final SimulatedDisk disk, final MemoryFiles files, final JournalConfig options)
    {
        final ScanEnd end = Scans.recover(files);
        for (int segment = files.segmentCount() - 1; end.emptySegment() >= 0 && segment >= end.emptySegment(); segment--)
        {
            disk.remove(segment);
        }
        final SegmentedLog log = new SegmentedLog(disk, options, end.position());
        log.openBehind(end.segments(), end.lastRecords(), end.lastSealed());
        log.sync();
        for (int i = 0; i < AFTER; i++)
        {
            final UnsafeBuffer group = Runs.note(BEFORE + i, 30 + 50 * i);
            log.append(RecordType.GROUP, BEFORE + i, group, 0, group.capacity());
            log.sync();
        }
        return disk;
    }

    private static MemoryFiles torn()
    {
        final SimulatedLog log = SimulatedLog.open(BEFORE, PROCESS);
        log.note(BEFORE, 200);
        final MemoryFiles files = log.files();
        final Scans.Range last = Scans.records(files, 0).get(BEFORE + 1);
        Arrays.fill(files.bytes(0), (int)last.to() - 20, (int)last.to(), (byte)0);
        return files;
    }

    @Test
    void shouldContinueAgainAfterACrashAtAnyByte()
    {
        for (final MemoryFiles begun : new MemoryFiles[] {torn(), SimulatedLog.sealed(BEFORE, PROCESS).files()})
        {
            final MemoryFiles whole = continued(begun, PROCESS);
            final byte[] bytes = whole.bytes(1);
            for (int cut = 0; cut < bytes.length; cut += TestStrength.count(3, 1))
            {
                final MemoryFiles crashed = whole.copy();
                final byte[] left = Arrays.copyOf(Arrays.copyOf(bytes, cut), bytes.length);
                crashed.replace(1, cut % 2 == 0 ? left : Arrays.copyOf(bytes, cut));
                checkContinuedAgain(crashed, wholeGroups(whole, cut), cut);
            }
        }
    }

    /** Groups whose records end before this byte of the second segment. */
    private static int wholeGroups(final MemoryFiles whole, final int cut)
    {
        return BEFORE + (int)Math.max(0,
            Scans.records(whole, 1).stream().filter(record -> record.to() <= cut).count() - 1);
    }

    private static void checkContinuedAgain(final MemoryFiles crashed, final int acknowledged, final int cut)
    {
        final long kept = Scans.recover(crashed).position().groups();
        assertTrue(kept >= acknowledged && kept <= acknowledged + 1, kept + " groups after " + acknowledged + " at " + cut);
        final MemoryFiles again = continued(crashed, PROCESS);
        final ScanEnd end = Scans.read(again);
        assertEquals(kept + AFTER, end.position().groups(), "cut at " + cut);
        assertFalse(end.sealed());
        final ScanEnd third = Scans.read(continued(again, PROCESS));
        assertEquals(kept + 2 * AFTER, third.position().groups(), "cut at " + cut);
    }

    @Test
    void shouldLoseNothingAcknowledgedToAPowerLossWhileAJournalIsContinued()
    {
        final Random random = new Random(11);
        for (int i = 0; i < TestStrength.count(500, 20_000); i++)
        {
            final MemoryFiles begun = torn();
            final SimulatedDisk disk = SimulatedDisk.holding(begun);
            continued(disk, begun, RECORD);
            final MemoryFiles lost = disk.afterPowerLoss(random);
            assertEquals(BEFORE + AFTER, Scans.recover(lost).position().groups());
        }
    }

    /** The planted error: the cut is not declared, so the next segment looks like the end of another journal. */
    @Test
    void shouldNoticeACutThatWasNotDeclared()
    {
        final MemoryFiles begun = torn();
        final SimulatedDisk disk = SimulatedDisk.holding(begun);
        final ScanEnd end = Scans.recover(begun);
        final SegmentedLog log = new SegmentedLog(disk, PROCESS, end.position());
        log.openBehind(end.segments(), end.lastRecords(), true);

        assertEquals(JournalException.Kind.CORRUPT_RECORD, Scans.refusal(disk.files()).kind());
    }
}
