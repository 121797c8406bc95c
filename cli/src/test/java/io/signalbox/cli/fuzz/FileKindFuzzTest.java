// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Every path of every command as a kind of file: each with a third of the kinds reduced, with all of them full. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class FileKindFuzzTest
{
    @Test
    void shouldReadOrRefuseEveryKindOfFile() throws IOException
    {
        try (FuzzRun run = FuzzRun.open())
        {
            final Path template = run.directory("template");
            Fixtures.all(template);
            kill(template.resolve("journal"), template.resolve("killed"));
            final KindCases cases = new KindCases(template, ModelFiles.write(run.directory("models")));
            final Fuzzer fuzzer = run.fuzzer().run("FileKindFuzzTest", cases, FuzzRun.firstSeed(),
                FuzzRun.count(cases.reduced(), cases.size()));

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
