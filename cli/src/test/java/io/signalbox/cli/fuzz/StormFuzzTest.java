// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A journal's directory that changes while commands work there: 40 runs reduced, 2,000 full. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class StormFuzzTest
{
    private static final List<List<String>> COMMANDS = List.of(
        List.of("simulate", "--journal={journal}", "--conversations=3", "--ranks=2", "--limit=12", "--kv-blocks=3000"),
        List.of("simulate", "--journal={journal}", "--conversations=3", "--ranks=2", "--limit=12", "--kv-blocks=3000"),
        List.of("simulate", "--journal={journal}/below/deep", "--conversations=3", "--ranks=2", "--limit=4",
            "--kv-blocks=3000"),
        List.of("replay", "{journal}", "--verify"),
        List.of("replay", "{journal}", "--recover", "--verify"),
        List.of("inspect", "{journal}", "--request=2"));

    @Test
    void shouldHarmNothingThatAppearsMeanwhile() throws IOException
    {
        try (FuzzRun run = FuzzRun.open())
        {
            final Path journal = run.directory("journal");
            Fixtures.journal(journal, 2, 90, "signalbox");
            final Fuzzer fuzzer = run.fuzzer().run("StormFuzzTest", random ->
            {
                final List<String> words = Values.pick(COMMANDS, random);
                return new StormCase(words, words.get(0).equals("simulate") ? null : journal, random.nextBoolean(),
                    random.nextLong());
            }, FuzzRun.firstSeed(), FuzzRun.count(40, 2_000));

            assertEquals(List.of(), fuzzer.findings(), fuzzer::report);
        }
    }
}
