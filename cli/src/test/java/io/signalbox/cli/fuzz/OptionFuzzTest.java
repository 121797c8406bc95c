// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Options of every command: 80 command lines reduced, 12,000 full; without a UTF-8 locale 15 and 2,000. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class OptionFuzzTest
{
    @Test
    void shouldEndEveryCommandLineInAResultOrASentence() throws IOException
    {
        try (FuzzRun run = FuzzRun.open())
        {
            fuzz(run, "OptionFuzzTest#shouldEndEveryCommandLineInAResultOrASentence", FuzzRun.count(80, 12_000));
        }
    }

    @Test
    void shouldDoSoWithoutALocale() throws IOException
    {
        try (FuzzRun run = FuzzRun.open(Map.of("LC_ALL", "C")))
        {
            fuzz(run, "OptionFuzzTest#shouldDoSoWithoutALocale", FuzzRun.count(15, 2_000));
        }
    }

    private static void fuzz(final FuzzRun run, final String name, final long count) throws IOException
    {
        final Path template = run.directory("template");
        Fixtures.all(template);
        final Fuzzer fuzzer = run.fuzzer().run(name, new OptionCases(template, run.worker()), FuzzRun.firstSeed(), count);

        System.out.println(fuzzer.coverage().table());
        assertEquals(List.of(), fuzzer.findings(), fuzzer::report);
    }
}
