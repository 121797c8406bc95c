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

/** Damaged and forged journals. */
class JournalFuzzTest
{
    private static FuzzRun run;
    private static JournalCases cases;

    @BeforeContainer
    static void open() throws IOException
    {
        run = FuzzRun.open();
        cases = new JournalCases(run.directory("journals"), run.worker());
    }

    @AfterContainer
    static void close() throws IOException
    {
        run.close();
    }

    @Property(seed = "1")
    @Tries(reduced = 70, full = 8_000)
    void shouldAcceptOnlyWhatWasWritten(@ForAll("cases") final FuzzCase made) throws IOException
    {
        run.fuzzer("journals").check(made);
    }

    @Provide
    Arbitrary<FuzzCase> cases()
    {
        return cases.cases();
    }
}
