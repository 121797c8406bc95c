// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A file of tensors, mapped in windows that overlap: one begins at every GiB and is up to 2 GiB long, so that a tensor of up
 * to 1 GiB is within the window of its first byte. A longer one has a window that fits it. Its bytes are read later, for a
 * copy and for the model's digest, and both must be of one file: each read ends with a check that nobody changed it.
 */
final class MappedShard
{
    private static final int WINDOW_SHIFT = 30;
    private static final String REMEDY = "leave it alone and start again";

    private final Path file;
    private final long bytes;
    private final BasicFileAttributes opened;
    private final Map<Long, MappedByteBuffer> windows = new HashMap<>();

    /** @param bytes of the file, by the channel that reads its header. */
    MappedShard(final Path file, final long bytes) throws IOException
    {
        this.file = file;
        this.bytes = bytes;
        opened = attributes();
    }

    private BasicFileAttributes attributes() throws IOException
    {
        return Files.readAttributes(file, BasicFileAttributes.class);
    }

    /** Bytes of the file, at most {@link WeightMatrix#MAX_BYTES}. */
    ByteBuffer bytes(final long begin, final int length)
    {
        final long window = begin >>> WINDOW_SHIFT;
        final long first = window << WINDOW_SHIFT;
        final long windowBytes = Math.min(bytes - first, WeightMatrix.MAX_BYTES);
        if (begin + length > first + windowBytes)
        {
            return map(begin, length);
        }
        return windows.computeIfAbsent(window, absent -> map(first, windowBytes)).slice((int)(begin - first), length);
    }

    private MappedByteBuffer map(final long begin, final long length)
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ))
        {
            // A file that has shrunk since its header was read would end the process at the first access.
            if (channel.size() < begin + length)
            {
                throw shortened();
            }
            return channel.map(FileChannel.MapMode.READ_ONLY, begin, length);
        }
        catch (final IOException e)
        {
            throw ModelJson.unreadable(file, e);
        }
    }

    private ModelException shortened()
    {
        return new ModelException(file + " has become shorter while it was read", REMEDY);
    }

    /**
     * Reads mapped bytes.
     *
     * @throws ModelException if the file is not the one that was opened, or lost bytes: the JVM reports an access to these
     *                        by an InternalError, at the latest when it enters the system for the file's attributes.
     */
    void read(final Runnable reading)
    {
        try
        {
            reading.run();
            requireUnchanged();
        }
        catch (final InternalError e)
        {
            throw shortened();
        }
    }

    /** @throws ModelException if the file is not the one that was opened. */
    void requireUnchanged()
    {
        try
        {
            final BasicFileAttributes now = attributes();
            if (now.size() != opened.size() || !now.lastModifiedTime().equals(opened.lastModifiedTime()) ||
                !Objects.equals(now.fileKey(), opened.fileKey()))
            {
                throw new ModelException(file + " has changed since it was opened", REMEDY);
            }
        }
        catch (final IOException e)
        {
            throw ModelJson.unreadable(file, e);
        }
    }
}
