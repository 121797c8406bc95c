// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Spoilt and forged journals: 300 reduced, 8,000 full. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class JournalFuzzTest
{
    @Test
    void shouldAcceptOnlyWhatWasWritten() throws IOException
    {
        try (FuzzRun run = FuzzRun.open())
        {
            final JournalCases cases = new JournalCases(run.directory("journals"), run.worker());
            final Fuzzer fuzzer = run.fuzzer().run("JournalFuzzTest", cases,
                FuzzRun.firstSeed(), FuzzRun.count(300, 8_000));

            assertEquals(List.of(), fuzzer.findings(), fuzzer::report);
        }
    }
}
