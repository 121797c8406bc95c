// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.ChronicleJournalStore;
import io.signalbox.journal.segment.JournalStore;

import java.nio.file.Path;

/** Real files on a disk that is full once the first record is written. */
record FullDiskStore(JournalStore files) implements JournalStore
{
    static FullDiskStore in(final Path directory)
    {
        return new FullDiskStore(new ChronicleJournalStore(directory, false, Runs.SMALL_BLOCK, 0));
    }

    @Override
    public Segment create(final int number, final int largestRecordBytes)
    {
        return new FullSegment(files.create(number, largestRecordBytes));
    }

    @Override
    public long usableBytes()
    {
        return files.usableBytes();
    }

    @Override
    public void remove(final int number)
    {
        files.remove(number);
    }

    private record FullSegment(Segment file) implements Segment
    {
        @Override
        public long begin(final int length)
        {
            return file.begin(length);
        }

        @Override
        public long lackingBytes()
        {
            return file.lackingBytes();
        }

        @Override
        public long beginSeal(final int length)
        {
            return file.beginSeal(length);
        }

        @Override
        public void write(final byte[] record, final int length)
        {
            file.write(record, length);
            throw new JournalException(Kind.DISK_FULL, "the disk is full.");
        }

        @Override
        public void sync()
        {
            file.sync();
        }

        @Override
        public int largestRecordBytes()
        {
            return file.largestRecordBytes();
        }

        @Override
        public void close()
        {
            file.close();
        }
    }
}
