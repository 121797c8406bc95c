// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import org.agrona.BufferUtil;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Writes zeros to a file before its records, so that the page cache has each page before mapped memory touches it. Without
 * them, the first touch of a page reads ahead: the thread that appends then waits until the system has cleared megabytes.
 * A write of many pages also costs less than their page faults.
 *
 * <p>Only the page cache changes: the file has disk blocks without content there, which read as zeros too.
 */
public final class ZerosAhead implements AutoCloseable
{
    private static final int READ_WRITE = 2;

    private final LibC library;
    private final int descriptor;
    private final ByteBuffer zeros;
    private long writtenTo;

    private ZerosAhead(final LibC library, final int descriptor, final int stepBytes)
    {
        this.library = library;
        this.descriptor = descriptor;
        zeros = ByteBuffer.allocateDirect(stepBytes);
    }

    /**
     * Writes nothing if the system does not support it.
     *
     * @param stepBytes of each write, which begins at a multiple of them.
     */
    public static ZerosAhead of(final Path file, final int stepBytes)
    {
        final LibC library = LibC.orNull();
        return new ZerosAhead(
            library, library == null ? -1 : library.calls().open(file.toString(), READ_WRITE, 0), stepBytes);
    }

    /**
     * After the return, every page before {@code end} is in the page cache, unless the system refused that. Nothing may have
     * been written after the end of an earlier call, and up to a step after {@code end} disk blocks are reserved.
     */
    public void require(final long end)
    {
        while (descriptor >= 0 && writtenTo < end)
        {
            // A write that fails leaves the page to the fault that reads it.
            library.calls().pwrite(descriptor, BufferUtil.address(zeros), zeros.capacity(), writtenTo);
            writtenTo += zeros.capacity();
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
