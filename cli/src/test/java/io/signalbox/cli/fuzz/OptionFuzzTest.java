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
import java.util.Map;

/** Options of every command. */
class OptionFuzzTest
{
    private static FuzzRun run;
    private static FuzzRun withoutLocale;
    private static OptionCases cases;

    @BeforeContainer
    static void open() throws IOException
    {
        run = FuzzRun.open();
        withoutLocale = FuzzRun.open(Map.of("LC_ALL", "C"));
        final Path template = run.directory("template");
        Fixtures.all(template);
        cases = new OptionCases(template, run.worker());
    }

    @AfterContainer
    static void close() throws IOException
    {
        run.close();
        withoutLocale.close();
    }

    @Property(seed = "1")
    @Tries(reduced = 40, full = 12_000)
    void shouldEndEveryCommandLineInAResultOrASentence(@ForAll("cases") final FuzzCase made) throws IOException
    {
        run.fuzzer("options").check(made);
    }

    @Property(seed = "1")
    @Tries(reduced = 6, full = 2_000)
    void shouldDoSoWithoutALocale(@ForAll("cases") final FuzzCase made) throws IOException
    {
        withoutLocale.fuzzer("options-without-locale").check(made);
    }

    @Provide
    Arbitrary<FuzzCase> cases()
    {
        return cases.cases();
    }
}
