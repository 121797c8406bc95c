// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Every path of every command as every kind of file: all of them, reduced and full. */
class FileKindFuzzTest
{
    /** A FIFO that is opened hangs until someone else opens it. */
    private static final long CASE_SECONDS = 60;

    @Test
    void shouldReadOrRefuseEveryKindOfFile() throws IOException
    {
        try (FuzzRun run = FuzzRun.open(CASE_SECONDS))
        {
            final Path template = run.directory("template");
            Fixtures.all(template, run.worker());
            kill(template.resolve("journal"), template.resolve("killed"));
            final KindCases cases = new KindCases(template, ModelFiles.write(run.directory("models")));
            final Fuzzer fuzzer = run.fuzzer().run("FileKindFuzzTest", cases, FuzzRun.firstSeed(),
                FuzzRun.count(cases.size(), cases.size()));

            assertEquals(List.of(), fuzzer.findings(), fuzzer::report);
        }
    }

    /** A copy without its seal. */
    private static void kill(final Path from, final Path to) throws IOException
    {
        FileTrees.copy(from, to);
        final Path file = JournalChange.dataFile(to.resolve("segment-00000"));
        final byte[] bytes = Files.readAllBytes(file);
        final List<SlowJournal.Whole> records = SlowJournal.recordsOf(file, bytes);
        Arrays.fill(bytes, records.get(records.size() - 1).at() - 4, bytes.length, (byte)0);
        Files.write(file, bytes);
    }
}
