// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.Scans.Range;
import io.signalbox.journal.segment.Chain;
import io.signalbox.journal.segment.JournalFiles;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.Region;
import io.signalbox.journal.segment.ScanEnd;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A journal of 64 KiB, cut at every byte, on the simulated disk and in a segment of Chronicle Queue; one of 16 KiB with
 * every bit flipped. Reduced: every 13th byte, and one bit of every byte. Full: all of them.
 */
final class EveryByteTest
{
    private static final int CUT_BYTES = 64 * 1024;
    private static final int FLIP_BYTES = 16 * 1024;
    private static final int STORE_HEADER_BYTES = 64;

    @TempDir
    private Path directory;

    @Test
    void shouldRecoverEveryWholeRecordWhereverTheFileIsCut()
    {
        final SimulatedLog log = open(CUT_BYTES);
        final byte[] whole = log.files().bytes(0);
        final List<Range> records = Scans.records(log.files(), 0);
        final Random random = new Random(1);
        // A cut inside the store header or the run description leaves no journal; a separate case below tests it.
        for (int cut = (int)records.get(0).to(); cut < CUT_BYTES; cut += TestStrength.count(13, 1))
        {
            final byte[] garbage = whole.clone();
            for (int i = cut; i < garbage.length; i++)
            {
                garbage[i] = (byte)random.nextInt();
            }
            final byte[] zeros = Arrays.copyOf(Arrays.copyOf(whole, cut), whole.length);
            for (final byte[] damaged : List.of(Arrays.copyOf(whole, cut), zeros, garbage))
            {
                check(log::chainAfter, records, damaged, whole, cut);
            }
        }
    }

    /** The bytes that a killed writer leaves: 64 KiB of records, cut at every byte, with three kinds of tail. */
    @Test
    void shouldRecoverEveryWholeRecordOfARealSegment() throws IOException
    {
        final byte[] whole = segment();
        final MemoryFiles files = new MemoryFiles(List.of(whole));
        final List<Range> records = Scans.records(files, 0);
        final List<Long> chains = chains(files);
        final int first = (int)records.get(0).to();
        final int end = first + CUT_BYTES;
        assertTrue(records.get(records.size() - 1).to() >= end, "the segment is shorter");
        final byte[] region = Arrays.copyOf(whole, (int)records.get(records.size() - 1).to());
        final Random random = new Random(4);
        int recoveries = 0;
        for (int cut = first; cut < end; cut += TestStrength.count(37, 1))
        {
            final byte[] garbage = region.clone();
            for (int i = cut; i < garbage.length; i++)
            {
                garbage[i] = (byte)random.nextInt();
            }
            final byte[] zeros = Arrays.copyOf(Arrays.copyOf(region, cut), region.length);
            for (final byte[] damaged : List.of(Arrays.copyOf(region, cut), zeros, garbage))
            {
                check(kept -> chains.get((int)kept - 1), records, damaged, region, cut);
                recoveries++;
            }
        }
        System.out.printf("%,d recoveries of a real segment%n", recoveries);
    }

    /** The file of a writer that has not ended. */
    private byte[] segment() throws IOException
    {
        try (JournalWriter writer = JournalWriter.create(directory, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            for (int i = 0; writer.bytes() < CUT_BYTES + 2 * FLIP_BYTES; i++)
            {
                final UnsafeBuffer group = Runs.note(i, i * 37 % 700);
                writer.append(i, group, 0, group.capacity(), null);
            }
            writer.endOfBatch();
            try (Stream<Path> files = Files.walk(directory))
            {
                return Files.readAllBytes(
                    files.filter(file -> file.toString().endsWith(".cq4")).sorted().findFirst().orElseThrow());
            }
        }
    }

    /** The chain after each record. */
    private static List<Long> chains(final JournalFiles files)
    {
        final List<Long> chains = new ArrayList<>();
        try (JournalScanner scanner = JournalScanner.recovering(files))
        {
            while (scanner.next())
            {
                chains.add(scanner.chain());
            }
        }
        return chains;
    }

    private static void check(
        final LongUnaryOperator chainAfter,
        final List<Range> records,
        final byte[] damaged,
        final byte[] whole,
        final int cut)
    {
        int kept = 0;
        while (kept < records.size() && isWhole(records.get(kept), damaged, whole))
        {
            kept++;
        }
        final ScanEnd end = Scans.recover(new MemoryFiles(List.of(damaged)));
        assertEquals(kept, end.position().records(), () -> "cut at " + cut);
        assertEquals(chainAfter.applyAsLong(kept), end.position().chain(), () -> "cut at " + cut);
        assertTrue(end.tail().cutFrom() < 0 || end.tail().cutFrom() >= records.get(kept - 1).to(), () -> "cut at " + cut);
    }

    private static boolean isWhole(final Range record, final byte[] damaged, final byte[] whole)
    {
        final int from = (int)record.from();
        final int to = (int)record.to();
        return to <= damaged.length && Arrays.equals(damaged, from, to, whole, from, to);
    }

    @Test
    void shouldKeepNothingWhereTheRunDescriptionIsCut()
    {
        final SimulatedLog log = open(FLIP_BYTES);
        final byte[] whole = log.files().bytes(0);
        for (int cut = 0; cut < Scans.records(log.files(), 0).get(0).to() - 1; cut++)
        {
            final ScanEnd end = Scans.recover(new MemoryFiles(List.of(Arrays.copyOf(whole, cut))));
            assertEquals(0, end.position().records());
            assertEquals(0, end.emptySegment());
        }
    }

    @Test
    void shouldRefuseEveryFlippedBitOfARecord()
    {
        final SimulatedLog log = open(FLIP_BYTES);
        log.log().seal(Ending.CLOSED);
        final MemoryFiles control = log.files();
        final String digest = Chain.text(Scans.read(control).position().chain());
        final List<Range> regions = Scans.regions(control);
        final byte[] bytes = control.bytes(0);
        int refused = 0;
        for (int bit = 0; bit < 8 * bytes.length; bit += TestStrength.count(9, 1))
        {
            final long at = bit / 8;
            final Region region = regions.stream().filter(r -> r.contains(0, at)).findFirst().orElseThrow().region();
            bytes[(int)at] ^= (byte)(1 << bit % 8);
            if (region == Region.RECORD)
            {
                assertThrows(JournalException.class, () -> Scans.read(control), "bit " + bit);
                refused++;
            }
            else
            {
                checkHarmless(control, digest, at);
            }
            bytes[(int)at] ^= (byte)(1 << bit % 8);
        }
        assertTrue(refused > TestStrength.count(12_000, 110_000), "only " + refused + " bits were of records");
        assertEquals(digest, Chain.text(Scans.read(control).position().chain()));
    }

    /** Padding and unused space are never read; Chronicle's header document is, for its name and length. */
    private static void checkHarmless(final MemoryFiles damaged, final String digest, final long at)
    {
        try
        {
            assertEquals(digest, Chain.text(Scans.read(damaged).position().chain()));
        }
        catch (final JournalException e)
        {
            assertTrue(at < STORE_HEADER_BYTES, "byte " + at + ": " + e.getMessage());
        }
    }

    @Test
    void shouldRefuseSwappedDoubledDroppedAndStaleRecords()
    {
        final SimulatedLog log = new SimulatedLog(new SimulatedDisk(), Runs.options(Durability.PROCESS));
        for (int i = 0; i < 100; i++)
        {
            log.note(i, 100);
        }
        log.log().seal(Ending.CLOSED);
        final MemoryFiles control = log.files();
        final List<Range> records = Scans.records(control, 0);
        final Random random = new Random(2);
        for (int i = 0; i < TestStrength.count(500, 10_000); i++)
        {
            final MemoryFiles damaged = control.copy();
            final Range from = records.get(1 + random.nextInt(100));
            final Range to = records.get(1 + random.nextInt(100));
            if (from != to)
            {
                misplace(control.bytes(0), damaged.bytes(0), from, to, random.nextInt(3));
                assertThrows(JournalException.class, () -> Scans.read(damaged));
                assertThrows(JournalException.class, () -> Scans.recover(damaged));
            }
        }
    }

    private static void misplace(final byte[] whole, final byte[] damaged, final Range from, final Range to, final int how)
    {
        final int length = (int)(from.to() - from.from());
        if (how < 2)
        {
            System.arraycopy(whole, (int)from.from(), damaged, (int)to.from(), length);
        }
        if (how == 0)
        {
            System.arraycopy(whole, (int)to.from(), damaged, (int)from.from(), length);
        }
        if (how == 2)
        {
            final int next = (int)(from.to() + 3 & -4);
            System.arraycopy(whole, next, damaged, (int)from.from(), whole.length - next);
        }
    }

    @Test
    void shouldEndInARefusalOrInTheTruthWhateverTheBytes()
    {
        final SimulatedLog log = open(FLIP_BYTES);
        log.log().seal(Ending.CLOSED);
        final MemoryFiles control = log.files();
        final JournalPosition truth = Scans.read(control).position();
        final Random random = new Random(3);
        int refused = 0;
        for (int i = 0; i < TestStrength.count(20_000, 2_000_000); i++)
        {
            final MemoryFiles damaged = new MemoryFiles(List.of(mutate(control.bytes(0), random)));
            try
            {
                final ScanEnd end = Scans.read(damaged);
                assertTrue(!end.sealed() || end.position().equals(truth), "mutation " + i);
                assertEquals(log.chainAfter(end.position().records()), end.position().chain(), "mutation " + i);
            }
            catch (final JournalException e)
            {
                assertTrue(e.kind() != Kind.STORE_FAILED && e.getMessage().endsWith("."), e.getMessage());
                refused++;
            }
        }
        assertTrue(refused > TestStrength.count(10_000, 1_000_000), "only " + refused + " were refused");
    }

    private static byte[] mutate(final byte[] whole, final Random random)
    {
        final byte[] bytes = random.nextInt(8) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
        final int[] interesting = {0, -1, 0x7F, 0x80, 0x40, 0xC0, 4};
        for (int i = random.nextInt(8); i >= 0 && bytes.length > 0; i--)
        {
            final int at = random.nextInt(bytes.length);
            bytes[at] = (byte)(random.nextBoolean() ? random.nextInt() : interesting[random.nextInt(interesting.length)]);
        }
        return bytes;
    }

    /** An unsealed journal whose records reach at least this far. */
    private static SimulatedLog open(final int bytes)
    {
        final SimulatedLog log = new SimulatedLog(new SimulatedDisk(), Runs.options(Durability.PROCESS));
        for (int i = 0; log.log().bytes() < bytes; i++)
        {
            log.note(i, i * 37 % 700);
        }
        return log;
    }
}
