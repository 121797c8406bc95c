// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.disk.PlainFile;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.LongConsumer;

/** Converts positions in segments to positions in the whole journal, for progress reports. */
final class SegmentPositions
{
    private final Map<Integer, Long> starts = new HashMap<>();
    private final ReadProgress progress;
    private long totalBytes;

    SegmentPositions(final SortedMap<Integer, Path> segments, final ReadProgress progress)
    {
        this.progress = progress;
        if (progress != ReadProgress.NONE)
        {
            segments.forEach((number, segment) ->
            {
                starts.put(number, totalBytes);
                totalBytes += dataBytes(segment);
            });
        }
    }

    /** A segment that cannot be read counts as empty here; its reading ends in a refusal. */
    private static long dataBytes(final Path segment)
    {
        long bytes = 0;
        try (DirectoryStream<Path> files = PlainFile.list(segment, "*" + SegmentName.DATA_SUFFIX))
        {
            for (final Path file : files)
            {
                bytes += Files.size(file);
            }
            return bytes;
        }
        catch (final IOException | DirectoryIteratorException e)
        {
            return bytes;
        }
    }

    /** Receives positions within this segment. */
    LongConsumer within(final int segment)
    {
        final long start = starts.getOrDefault(segment, 0L);
        return position -> progress.onRead(start + position, totalBytes);
    }
}
