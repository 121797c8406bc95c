// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import java.nio.file.Path;

/** Finds the parts of a sparse file that were never written: reading 100 GB of them takes a minute. */
public final class FileHoles implements AutoCloseable
{
    private final LibC library;
    private final int descriptor;

    private FileHoles(final LibC library, final int descriptor)
    {
        this.library = library;
        this.descriptor = descriptor;
    }

    /** Finds no hole if the system does not support it. */
    public static FileHoles of(final Path file)
    {
        final LibC library = LibC.orNull();
        return new FileHoles(library, library == null ? -1 : library.calls().open(file.toString(), LibC.OPEN_TO_READ, 0));
    }

    /**
     * First position from {@code position} on with data; {@code length} if there is none.
     *
     * @param alignment a power of two, to whose multiples found positions are rounded down: records begin there.
     */
    public long nextData(final long position, final long length, final int alignment)
    {
        if (descriptor < 0)
        {
            return position;
        }
        final long found = library.calls().lseek(descriptor, position, LibC.SEEK_DATA);
        if (found < 0)
        {
            return library.lastError() == LibC.NO_SUCH_ADDRESS ? length : position;
        }
        return Math.min(length, Math.max(position, found & -alignment));
    }

    /** Bytes of a file that are no hole: what it takes of the disk, as far as the system tells. */
    public static long dataBytes(final Path file, final long length)
    {
        try (FileHoles holes = of(file))
        {
            if (holes.descriptor < 0)
            {
                return length;
            }
            long bytes = 0;
            long from = holes.nextData(0, length, 1);
            while (from < length)
            {
                final long end = holes.library.calls().lseek(holes.descriptor, from, LibC.SEEK_HOLE);
                final long to = end <= from ? length : Math.min(end, length);
                bytes += to - from;
                from = holes.nextData(to, length, 1);
            }
            return bytes;
        }
    }

    @Override
    public void close()
    {
        if (descriptor >= 0)
        {
            library.calls().close(descriptor);
        }
    }
}
