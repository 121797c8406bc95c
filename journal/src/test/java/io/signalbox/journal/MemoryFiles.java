// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.ByteSource;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalFiles;
import io.signalbox.journal.segment.SegmentName;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of a journal on the heap, so that a test can damage them. A missing segment is null. */
final class MemoryFiles implements JournalFiles
{
    private final List<byte[]> segments;

    MemoryFiles(final List<byte[]> segments)
    {
        this.segments = segments;
    }

    /** Copies a journal that was written to disk. */
    static MemoryFiles copyOf(final Path directory)
    {
        final DirectoryFiles files = DirectoryFiles.of(directory);
        final List<byte[]> segments = new ArrayList<>();
        try
        {
            for (int i = 0; i < files.segmentCount(); i++)
            {
                segments.add(Files.readAllBytes(files.dataFile(i)));
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return new MemoryFiles(segments);
    }

    /** A copy to damage. */
    MemoryFiles copy()
    {
        final List<byte[]> copies = new ArrayList<>();
        for (final byte[] segment : segments)
        {
            copies.add(segment == null ? null : segment.clone());
        }
        return new MemoryFiles(copies);
    }

    byte[] bytes(final int segment)
    {
        return segments.get(segment);
    }

    void replace(final int segment, final byte[] bytes)
    {
        segments.set(segment, bytes);
    }

    void removeLast()
    {
        segments.remove(segments.size() - 1);
    }

    @Override
    public int segmentCount()
    {
        return segments.size();
    }

    @Override
    public boolean exists(final int segment)
    {
        return segments.get(segment) != null;
    }

    @Override
    public String journal()
    {
        return "the journal";
    }

    @Override
    public String name(final int segment)
    {
        return SegmentName.of(segment);
    }

    @Override
    public ByteSource open(final int segment)
    {
        return new HeapSource(segments.get(segment));
    }

    private record HeapSource(byte[] bytes) implements ByteSource
    {
        @Override
        public long length()
        {
            return bytes.length;
        }

        @Override
        public int read(final long position, final byte[] target, final int offset, final int length)
        {
            final int count = (int)Math.max(0, Math.min(length, bytes.length - position));
            System.arraycopy(bytes, (int)position, target, offset, count);
            return count;
        }

        @Override
        public void close()
        {
        }
    }
}
