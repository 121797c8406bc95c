// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * A file of tensors, mapped in windows that overlap: one begins at every GiB and is up to 2 GiB long, so that a tensor of up
 * to 1 GiB is within the window of its first byte. A longer one has a window that fits it.
 */
final class MappedShard
{
    private static final int WINDOW_SHIFT = 30;

    private final Path file;
    private final long bytes;
    private final Map<Long, MappedByteBuffer> windows = new HashMap<>();

    MappedShard(final Path file, final long bytes)
    {
        this.file = file;
        this.bytes = bytes;
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
                throw new ModelException(file + " has become shorter while it was read", "leave it alone and start again");
            }
            return channel.map(FileChannel.MapMode.READ_ONLY, begin, length);
        }
        catch (final IOException e)
        {
            throw ModelJson.unreadable(file, e);
        }
    }
}
