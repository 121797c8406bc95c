// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.TestStrength;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Every path of every command as a kind of file: each with a sixteenth of the kinds reduced, with all of them full. */
class FileKindFuzzTest
{
    private static FuzzRun run;
    private static KindCases cases;

    @BeforeContainer
    static void open() throws IOException
    {
        run = FuzzRun.open();
        final Path template = run.directory("template");
        Fixtures.all(template);
        kill(template.resolve("journal"), template.resolve("killed"));
        cases = new KindCases(template, ModelFiles.write(run.directory("models")));
    }

    @AfterContainer
    static void close() throws IOException
    {
        run.close();
    }

    @Property(generation = GenerationMode.EXHAUSTIVE, shrinking = ShrinkingMode.OFF, tries = Integer.MAX_VALUE)
    void shouldReadOrRefuseEveryKindOfFile(@ForAll("cases") final KindCase made) throws IOException
    {
        run.fuzzer("kinds-of-files").check(made);
    }

    @Provide
    Arbitrary<KindCase> cases()
    {
        return Arbitraries.of(TestStrength.isFull() ? cases.all() : cases.reduced());
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
