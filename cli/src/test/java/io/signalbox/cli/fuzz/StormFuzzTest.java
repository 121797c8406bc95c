// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.Tries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A journal's directory that changes while commands work there. */
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

    private static FuzzRun run;
    private static Path journal;

    @BeforeContainer
    static void open() throws IOException
    {
        run = FuzzRun.open();
        journal = run.directory("journal");
        Fixtures.journal(journal, 2, 90, "signalbox");
    }

    @AfterContainer
    static void close() throws IOException
    {
        run.close();
    }

    @Property(seed = "1")
    @Tries(reduced = 18, full = 2_000)
    void shouldHarmNothingThatAppearsMeanwhile(@ForAll("cases") final FuzzCase made) throws IOException
    {
        run.fuzzer("storms").check(made);
    }

    @Provide
    Arbitrary<FuzzCase> cases()
    {
        final CaseSource cases = random ->
        {
            final List<String> words = Values.pick(COMMANDS, random);
            return new StormCase(
                words, words.get(0).equals("simulate") ? null : journal, random.nextBoolean(), random.nextLong());
        };
        return cases.cases();
    }
}
