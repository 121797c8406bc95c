// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.JournalFiles;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.Region;
import io.signalbox.journal.segment.ScanEnd;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertThrows;

/** Runs scanners to their ends. */
final class Scans
{
    /** Position of a region. */
    record Range(int segment, long from, long to, Region region)
    {
        boolean contains(final int number, final long position)
        {
            return segment == number && from <= position && position < to;
        }
    }

    private Scans()
    {
    }

    static ScanEnd read(final JournalFiles files)
    {
        return run(JournalScanner.reading(files, null));
    }

    static ScanEnd recover(final JournalFiles files)
    {
        return run(JournalScanner.recovering(files));
    }

    private static ScanEnd run(final JournalScanner scanner)
    {
        try (scanner)
        {
            boolean more = true;
            while (more)
            {
                more = scanner.next();
            }
            return scanner.end();
        }
    }

    /** Reads to the end, which must be a refusal, and returns it. */
    static JournalException refusal(final JournalFiles files)
    {
        return assertThrows(JournalException.class, () -> read(files));
    }

    static List<Range> regions(final JournalFiles files)
    {
        final List<Range> ranges = new ArrayList<>();
        run(JournalScanner.reading(files, (segment, from, to, region) ->
            ranges.add(new Range(segment, from, to, region))));
        return ranges;
    }

    /** The whole records of a segment: header, envelope and payload of each. */
    static List<Range> records(final JournalFiles files, final int segment)
    {
        return regions(files).stream().filter(r -> r.segment() == segment && r.region() == Region.RECORD).toList();
    }
}
