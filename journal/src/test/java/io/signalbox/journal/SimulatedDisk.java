// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.JournalStore;
import io.signalbox.journal.segment.SegmentWalker;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A store on a disk that can fail. It frames records as Chronicle does, keeps apart what was written and what was
 * synced. On a crash each sector that was not synced independently survives, vanishes or becomes garbage.
 */
final class SimulatedDisk implements JournalStore
{
    static final int SECTOR_BYTES = 512;
    private static final int HEADER_DOCUMENT_BYTES = 60;
    private static final int METADATA = 0x40000000;
    private static final int NEVER = -1;

    private final List<SimulatedSegment> segments = new ArrayList<>();
    private int largestRecordBytes = Envelope.MAX_RECORD_BYTES;
    private long freeBytes = Long.MAX_VALUE;
    private long reserveBytes;
    private int writes;
    private int syncs;
    private int fullAt = NEVER;
    private int faultAt = NEVER;
    private int lostAt = NEVER;
    private int misdirectedAt = NEVER;
    private int syncFailureAt = NEVER;

    /**
     * The disk has room for so many bytes from now on.
     *
     * @param reserve bytes of them that are kept ahead of records.
     */
    SimulatedDisk holding(final long bytes, final long reserve)
    {
        freeBytes = bytes;
        reserveBytes = reserve;
        return this;
    }

    @Override
    public long usableBytes()
    {
        return Math.max(0, freeBytes - reserveBytes);
    }

    /** The disk is full when this write is begun, counted from 0. */
    SimulatedDisk fullAtWrite(final int write)
    {
        fullAt = write;
        return this;
    }

    /** This write ends in a fault of mapped memory, half done. */
    SimulatedDisk faultAtWrite(final int write)
    {
        faultAt = write;
        return this;
    }

    /** This write is reported as done and never reaches the disk. */
    SimulatedDisk loseWrite(final int write)
    {
        lostAt = write;
        return this;
    }

    /** This write goes where the write before it went. */
    SimulatedDisk misdirectWrite(final int write)
    {
        misdirectedAt = write;
        return this;
    }

    SimulatedDisk failSync(final int sync)
    {
        syncFailureAt = sync;
        return this;
    }

    int writes()
    {
        return writes;
    }

    int syncs()
    {
        return syncs;
    }

    /** The files after the writing process was killed. */
    MemoryFiles files()
    {
        final List<byte[]> files = new ArrayList<>();
        for (final SimulatedSegment segment : segments)
        {
            files.add(segment.written.clone());
        }
        return new MemoryFiles(files);
    }

    /** The files after a power loss. */
    MemoryFiles afterPowerLoss(final Random random)
    {
        final List<byte[]> files = new ArrayList<>();
        for (final SimulatedSegment segment : segments)
        {
            files.add(segment.afterPowerLoss(random));
        }
        return new MemoryFiles(files);
    }

    /** A disk with these files. */
    static SimulatedDisk holding(final MemoryFiles files)
    {
        final SimulatedDisk disk = new SimulatedDisk();
        for (int i = 0; i < files.segmentCount(); i++)
        {
            final SimulatedSegment segment = disk.new SimulatedSegment();
            segment.written = files.bytes(i).clone();
            segment.synced = segment.written.clone();
            disk.segments.add(segment);
        }
        return disk;
    }

    @Override
    public Segment create(final int number, final int longest)
    {
        if (number != segments.size())
        {
            throw new IllegalStateException("segment " + number + " is not the next one");
        }
        largestRecordBytes = Math.max(longest, 1 << 17);
        final SimulatedSegment segment = new SimulatedSegment();
        segment.writeStoreHeader();
        segments.add(segment);
        return segment;
    }

    @Override
    public void remove(final int number)
    {
        segments.remove(number);
    }

    private final class SimulatedSegment implements Segment
    {
        private byte[] written = new byte[0];
        private byte[] synced = new byte[0];
        private int end;
        private int previous;

        private void writeStoreHeader()
        {
            final byte[] name = "header".getBytes(StandardCharsets.US_ASCII);
            grow(SegmentWalker.HEADER_BYTES + HEADER_DOCUMENT_BYTES);
            putHeader(0, HEADER_DOCUMENT_BYTES | METADATA);
            written[4] = (byte)0xB9;
            written[5] = (byte)name.length;
            System.arraycopy(name, 0, written, 6, name.length);
            Arrays.fill(written, 6 + name.length, written.length, (byte)7);
            end = written.length;
            synced = written.clone();
        }

        private void grow(final int length)
        {
            if (length > written.length)
            {
                // Rounded up, so that zeros follow the last record as they do in a mapped file.
                written = Arrays.copyOf(written, length <= 64 ? length : length + 4 * SECTOR_BYTES);
            }
        }

        private void putHeader(final int at, final int header)
        {
            for (int i = 0; i < SegmentWalker.HEADER_BYTES; i++)
            {
                written[at + i] = (byte)(header >>> 8 * i);
            }
        }

        @Override
        public long begin(final int length)
        {
            if (writes == fullAt || length > freeBytes)
            {
                throw new JournalException(Kind.DISK_FULL, "the simulated disk is full.");
            }
            return beginSeal(length);
        }

        @Override
        public long lackingBytes()
        {
            return Math.max(0, reserveBytes - freeBytes);
        }

        @Override
        public long beginSeal(final int length)
        {
            return end + SegmentWalker.HEADER_BYTES;
        }

        @Override
        public void write(final byte[] record, final int length)
        {
            final int write = writes++;
            freeBytes -= length;
            final int next = end + SegmentWalker.HEADER_BYTES + length + 3 & -4;
            grow(next);
            if (write == faultAt)
            {
                System.arraycopy(record, 0, written, end + SegmentWalker.HEADER_BYTES, length / 2);
                throw new InternalError("a fault occurred in an unsafe memory access operation");
            }
            if (write != lostAt)
            {
                final int at = write == misdirectedAt ? previous : end;
                putHeader(at, length);
                System.arraycopy(record, 0, written, at + SegmentWalker.HEADER_BYTES, length);
            }
            previous = end;
            end = next;
        }

        @Override
        public void sync()
        {
            if (syncs++ == syncFailureAt)
            {
                throw new IllegalStateException("input/output error");
            }
            synced = written.clone();
        }

        private byte[] afterPowerLoss(final Random random)
        {
            final byte[] found = written.clone();
            final byte[] durable = Arrays.copyOf(synced, found.length);
            for (int sector = 0; sector < found.length; sector += SECTOR_BYTES)
            {
                final int until = Math.min(sector + SECTOR_BYTES, found.length);
                if (!Arrays.equals(found, sector, until, durable, sector, until))
                {
                    damage(found, durable, sector, until, random);
                }
            }
            return found;
        }

        private void damage(
            final byte[] found, final byte[] durable, final int from, final int until, final Random random)
        {
            switch (random.nextInt(3))
            {
                case 0 -> System.arraycopy(durable, from, found, from, until - from);
                case 1 ->
                {
                    // The synced bytes of this sector were rewritten with the same values: only the rest is at risk.
                    for (int i = from; i < until; i++)
                    {
                        found[i] = found[i] == durable[i] ? found[i] : (byte)random.nextInt();
                    }
                }
                default ->
                {
                }
            }
        }

        @Override
        public int largestRecordBytes()
        {
            return largestRecordBytes;
        }

        @Override
        public void close()
        {
        }
    }
}
