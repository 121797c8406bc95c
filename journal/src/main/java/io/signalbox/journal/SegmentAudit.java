// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.ScanMessages;
import io.signalbox.journal.segment.SealedSegments;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The sealed segments of a journal against the checksums that were written when they were sealed: every byte up to the end
 * of each seal. The last segment has no checksums, because every reader reads its records.
 *
 * @param equal     segments whose bytes are those that were sealed.
 * @param bytes     of them, up to the ends of their seals.
 * @param damaged   segments whose bytes are others, or that are missing, each as a sentence with the first place.
 * @param unchecked segments without checksums, each as a sentence.
 */
public record SegmentAudit(int equal, long bytes, List<String> damaged, List<String> unchecked)
{
    /**
     * Reads the sealed segments of a journal, which may be written meanwhile.
     *
     * @throws JournalException if there is no journal, or a file cannot be read.
     */
    public static SegmentAudit of(final Path directory, final ReadProgress progress)
    {
        final DirectoryFiles files = DirectoryFiles.of(directory);
        if (files.segmentCount() == 0)
        {
            throw ScanMessages.noJournal(directory);
        }
        int equal = 0;
        long bytes = 0;
        final List<String> damaged = new ArrayList<>();
        final List<String> unchecked = new ArrayList<>();
        for (int segment = files.firstSegment(); segment < files.segmentCount() - 1; segment++)
        {
            try
            {
                final SealedSegments.SegmentCheck found =
                    SealedSegments.check(directory, segment, segment + 1, progress);
                equal += found.segments();
                bytes += found.bytes();
                unchecked.addAll(found.unchecked());
            }
            catch (final JournalException e)
            {
                if (e.kind() != Kind.CORRUPT_RECORD && e.kind() != Kind.MISSING_SEGMENT)
                {
                    throw e;
                }
                damaged.add(e.getMessage());
            }
        }
        return new SegmentAudit(equal, bytes, List.copyOf(damaged), List.copyOf(unchecked));
    }
}
