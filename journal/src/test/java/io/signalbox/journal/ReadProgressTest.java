// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReadProgressTest
{
    @TempDir
    private Path journal;

    @Test
    void shouldCountAllSegmentsTogether() throws IOException
    {
        Runs.write(journal, 2_000, Runs.smallSegments(Durability.PROCESS));
        assertTrue(DirectoryFiles.of(journal).segmentCount() > 2);
        final List<Long> done = new ArrayList<>();

        JournalVerifier.verify(journal, DpRouters.installed(), Scheduler::new, (doneBytes, totalBytes) ->
        {
            assertEquals(recordBytes(), totalBytes);
            assertTrue(doneBytes <= totalBytes, doneBytes + " of " + totalBytes);
            done.add(doneBytes);
        });

        final long most = done.stream().mapToLong(Long::longValue).max().orElse(0);
        final long last = Files.size(DirectoryFiles.of(journal).dataFile(DirectoryFiles.of(journal).segmentCount() - 1));
        assertTrue(most > recordBytes() - last, most + " of " + recordBytes() + " does not reach the last segment");
    }

    private long recordBytes()
    {
        try (Stream<Path> files = Files.walk(journal))
        {
            return files.filter(file -> file.toString().endsWith(SegmentName.DATA_SUFFIX))
                .mapToLong(file -> file.toFile().length()).sum();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
