// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Options of every command: 300 command lines reduced, 60,000 full. */
class OptionFuzzTest
{
    @Test
    void shouldEndEveryCommandLineInAResultOrASentence() throws IOException
    {
        try (FuzzRun run = FuzzRun.open())
        {
            final Path template = run.directory("template");
            Fixtures.all(template, run.worker());
            final Fuzzer fuzzer = run.fuzzer().run("OptionFuzzTest", new OptionCases(template, run.worker()),
                FuzzRun.firstSeed(), FuzzRun.count(300, 60_000));

            System.out.println(fuzzer.coverage().table());
            assertEquals(List.of(), fuzzer.findings(), fuzzer::report);
        }
    }
}
