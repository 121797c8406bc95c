// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.FileSizeLimit;
import io.signalbox.journal.disk.StoreFault;
import io.signalbox.journal.segment.DirectoryFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A process whose limits the journal exceeds: a sentence that names the limit, and nothing acknowledged is lost. */
@Tag("threads")
final class ProcessLimitsTest
{
    private static final Path BASH = Path.of("/bin/bash");

    @TempDir
    Path temporary;

    @Test
    void shouldKeepWhatWasAcknowledgedWhenAFileMayGrowNoFurther() throws IOException, InterruptedException
    {
        assumeTrue(Files.isExecutable(BASH));
        final Path journal = temporary.resolve("journal");
        // Room for two blocks of a segment, not for the third.
        final List<String> lines = runLimited("-f 700", journal);

        final List<String> acknowledged = lines.stream().filter(line -> line.matches("\\d+")).toList();
        final String failure = lines.stream().filter(line -> line.contains("JournalException")).findFirst().orElse("");
        assertTrue(failure.contains("file size limit of this process (ulimit -f)"), lines.toString());
        assertTrue(acknowledged.size() > 2, lines.toString());
        final JournalRecovery.Recovery recovery = JournalRecovery.recover(journal);
        assertTrue(recovery.groups() >= acknowledged.size(), recovery + " after " + acknowledged.size());
        assertEquals(recovery.groups(), Scans.read(DirectoryFiles.of(journal)).position().groups());
    }

    @Test
    void shouldLeaveNothingBehindWhenAFileMayNotEvenBegin() throws IOException, InterruptedException
    {
        assumeTrue(Files.isExecutable(BASH));
        final Path journal = temporary.resolve("journal");
        final String output = String.join("\n", runLimited("-f 100", journal));

        assertTrue(output.contains("files of at most 102400 bytes (ulimit -f)"), output);
        assertFalse(Files.exists(journal));
    }

    private static List<String> runLimited(final String limit, final Path journal)
        throws IOException, InterruptedException
    {
        final List<String> java = JavaProcess.command(
            JavaProcess.flags(), KilledWriter.class, journal.toString(), Durability.PROCESS.name());
        final String command = "ulimit " + limit + "; exec '" + String.join("' '", java) + "'";
        final Process process =
            new ProcessBuilder(BASH.toString(), "-c", command).redirectErrorStream(true).start();
        final List<String> lines =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        assertEquals(1, process.waitFor());
        return lines;
    }

    @Test
    void shouldReadTheLimitOfAProcess()
    {
        final String columns = "Max file size             %s     unlimited            bytes";
        assertEquals(102_400, FileSizeLimit.soft("Limit\n" + columns.formatted("102400")));
        assertEquals(Long.MAX_VALUE, FileSizeLimit.soft(columns.formatted("unlimited")));
        assertEquals(Long.MAX_VALUE, FileSizeLimit.soft(""));
    }

    @Test
    void shouldNameTheLimitThatAnOperationMeets()
    {
        final FileSystemException files = new FileSystemException("a", null, "Too many open files");
        assertTrue(StoreFault.reading(temporary, files).getMessage().endsWith("(ulimit -n); raise the limit."));
        assertTrue(StoreFault.writing("it failed", temporary, files).getMessage().contains("(ulimit -n)"));
        final JournalException mapped =
            StoreFault.storing(temporary, new IllegalStateException(new OutOfMemoryError("Map failed")));
        assertEquals(Kind.STORE_FAILED, mapped.kind());
        assertTrue(mapped.getMessage().contains("(ulimit -v"), mapped.getMessage());
    }
}
