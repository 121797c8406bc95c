// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.files.RealPath;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/** The scans of this process that have not ended: no segment is removed that one of them may still read. */
public final class OpenScans
{
    private static final Set<JournalScanner> OPEN = Collections.newSetFromMap(new WeakHashMap<>());

    private OpenScans()
    {
    }

    static void opened(final JournalScanner scanner)
    {
        synchronized (OPEN)
        {
            OPEN.add(scanner);
        }
    }

    static void closed(final JournalScanner scanner)
    {
        synchronized (OPEN)
        {
            OPEN.remove(scanner);
        }
    }

    /**
     * The oldest segment that a scan of this journal is in; {@link Integer#MAX_VALUE}: there is no scan. A scan moves to
     * newer segments only, so the answer stays right if it does so meanwhile.
     */
    public static int oldestSegment(final Path directory)
    {
        synchronized (OPEN)
        {
            final Path journal = RealPath.of(directory);
            return OPEN.stream().filter(scanner -> RealPath.of(Path.of(scanner.journal())).equals(journal))
                .mapToInt(scanner -> Math.max(scanner.segment(), 0)).min().orElse(Integer.MAX_VALUE);
        }
    }
}
