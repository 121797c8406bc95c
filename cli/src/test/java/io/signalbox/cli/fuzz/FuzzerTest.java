// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The fuzzer finds a fault that was planted, for each of its oracles, and makes the case small. */
class FuzzerTest
{
    private static final List<String> RUN = List.of("simulate", "--conversations=2", "--limit=2", "--ranks=2",
        "--kv-blocks=600", "--user-tokens=fixed:20", "--output-tokens=fixed:4", "--no-journal");

    private static FuzzRun shared;
    private static Path template;

    @BeforeAll
    static void open() throws IOException
    {
        shared = FuzzRun.open();
        template = shared.directory("template");
        Fixtures.all(template);
    }

    @AfterAll
    static void close() throws IOException
    {
        shared.close();
    }

    @Test
    void shouldFindNothingInAGoodCommand() throws IOException
    {
        assertEquals(List.of(), find(arguments -> null, "--seed=7", "--json"));
    }

    @Test
    void shouldFindAnInternalError() throws IOException
    {
        final List<String> complaints = find(planted("--seed=7", 3, "", "signalbox simulate: an internal error --seed=7."),
            "--seed=7", "--json");

        assertTrue(complaints.get(0).startsWith("exit code: 3"), complaints.toString());
    }

    @Test
    void shouldFindWhatARefusalLacks() throws IOException
    {
        final Set<String> bad = Set.of("signalbox simulate: it went wrong.", "signalbox simulate: --seed=7 is bad",
            "signalbox simulate: --seed=7.\nsecond line.", "--seed=7 is bad.",
            "signalbox simulate: --seed=7 java.lang.String is bad.", "signalbox simulate: --seed=7 NullPointerException.",
            "signalbox simulate: --seed=7 \u001b[31m is bad.", "signalbox simulate: --seed=7\n\tat io.A.b(A.java:1).",
            "signalbox simulate: --seed=7 [B@1f2e3d4c.");
        for (final String sentence : bad)
        {
            assertFalse(find(planted("--seed=7", 2, "", sentence), "--seed=7").isEmpty(), sentence);
        }
        assertFalse(find(planted("--seed=7", 2, "half a result", "signalbox simulate: --seed=7."), "--seed=7").isEmpty());
        assertEquals(List.of(), find(planted("--seed=7", 2, "", "signalbox simulate: --seed=7 is bad."), "--seed=7"));
    }

    @Test
    void shouldLetARunWhoseJournalCannotBeReadGiveItsReport() throws IOException
    {
        final String sentence = "signalbox simulate: the journal --seed=7 was not verified: segment-00002 was taken away. " +
            "Repeat it with 'signalbox replay --seed=7 --verify'.";

        assertEquals(List.of(), find(planted("--seed=7", 2, "the report", "wall clock 1 s\n" + sentence), "--seed=7"));
        assertFalse(find(planted("--seed=7", 2, "the report", sentence + "\nand more"), "--seed=7").isEmpty());
    }

    @Test
    void shouldFindAResultThatIsNotWhole() throws IOException
    {
        for (final String result : List.of("", "{", "{} {}", "{\"simulatedSeconds\" : -7446744072.985}", "[]",
            "{\"rate\" : \"NaN\"}"))
        {
            assertFalse(find(planted("--json", 0, result, ""), "--json").isEmpty(), result);
        }
        assertFalse(find(planted("--seed=7", 0, "simulated time    -7446744072.985 s\n", ""), "--seed=7").isEmpty());
    }

    @Test
    void shouldFindAForeignFileThatIsHarmed() throws IOException
    {
        assertTrue(find(harming(file -> Files.delete(file.resolve("foreign/notes.txt"))), "--seed=7").get(0)
            .startsWith("canary: "));
        assertFalse(find(harming(file -> Files.writeString(file.resolve("foreign/notes.txt"), "yours")),
            "--seed=7").isEmpty());
        assertFalse(find(harming(file -> FileTrees.delete(file.resolve("empty"))), "--seed=7").isEmpty());
    }

    @Test
    void shouldFindWhatARefusedRunLeavesBehind() throws IOException
    {
        final Function<List<String>, Outcome> refusal = planted("--seed=7", 2, "", "signalbox simulate: --seed=7 is bad.");
        final Function<List<String>, Outcome> leaving = harming(file -> Files.createDirectories(file.resolve("runs")));

        final List<String> complaints = find(arguments ->
        {
            leaving.apply(arguments);
            return refusal.apply(arguments);
        }, "--seed=7");
        assertTrue(complaints.get(0).startsWith("canary: left behind"), complaints.toString());
    }

    @Test
    void shouldFindANumberThatIsNone() throws IOException
    {
        final List<OptionCase.Part> parts = new ArrayList<>(parts());
        parts.add(new OptionCase.Part(List.of("--seed=\u0663"), true, false));
        final Target accepting = new FakeCommand(shared.worker(), planted("--seed=\u0663", 0, "a result\n", ""));

        final List<Finding> findings = shared.fuzzer(accepting).run("planted", random ->
            new OptionCase(template, parts, Set.of(0, 2)), 0, 1).findings();
        assertTrue(findings.get(0).complaints().get(0).startsWith("number: "), findings.toString());
    }

    @Test
    void shouldMakeAFindingSmall() throws IOException
    {
        final Target target = new FakeCommand(shared.worker(),
            planted("--seed=7", 3, "", "signalbox simulate: an internal error --seed=7."));
        final Finding finding = shared.fuzzer(target).run("planted",
            random -> made("--json", "--seed=7", "--lock-step"), 0, 1).findings().get(0);

        final List<String> smallest = new ArrayList<>(RUN);
        smallest.add("--seed=7");
        assertEquals(smallest, finding.arguments());
        assertTrue(finding.text().contains("./signalbox " + String.join(" ", smallest) + "\n"), finding.text());
        assertTrue(finding.text().contains("-Dsignalbox.fuzz.seed=0"), finding.text());
    }

    @Test
    void shouldFindACommandThatHangsEndsItsProcessOrWastesMemory() throws IOException
    {
        assertTrue(findIn(PlantedCommands.Hanging.class, 300).startsWith("hang: "));
        assertTrue(findIn(PlantedCommands.Ending.class, 60_000).startsWith("death: the process ended with 0"));
        assertTrue(findIn(PlantedCommands.Wasting.class, 60_000).startsWith("memory: "));
    }

    /** Every cut gzip file is given the count of requests that an obvious reader of its whole members makes. */
    @Test
    void shouldFindAShortTraceThatIsAccepted() throws IOException
    {
        final byte[] trace = Fixtures.TRACE.getBytes(StandardCharsets.UTF_8);
        final int half = Fixtures.TRACE.indexOf('\n', trace.length / 2) + 1;
        final byte[] first = GzipFile.of(Fixtures.TRACE.substring(0, half));
        final byte[] second = GzipFile.of(Fixtures.TRACE.substring(half));
        final byte[] both = ByteMutator.joined(first, second);
        final Function<List<String>, Outcome> shortened = planted("--json", 0,
            "{\"submitted\" : 3, \"completed\" : 0, \"neverAsked\" : 0, \"leftOut\" : 0}", "");

        assertTrue(findInFile(both, shortened).get(0).startsWith("trace: 3 requests were read, and the file holds 4"));
        assertTrue(findInFile(Arrays.copyOf(both, both.length - 5), shortened).get(0).startsWith("trace: it was accepted"));
        final byte[] followed = ByteMutator.joined(first, new byte[]{'x'});
        assertTrue(findInFile(followed, shortened).get(0).startsWith("trace: it was accepted"));
        assertEquals(List.of(), findInFile(both, arguments -> null));
    }

    /** A reader that stops a record early, that ignores a segment, or that makes up a digest. */
    @Test
    void shouldFindAJournalThatIsAcceptedForAnother() throws IOException
    {
        final Path journal = shared.directory("several");
        Fixtures.journal(journal, 2, 90, "signalbox");
        final JournalTruth truth = JournalTruth.of(journal);
        final int records = truth.digests().size();
        final long groups = SlowJournal.records(journal).stream()
            .filter(record -> record.type() == SlowJournal.GROUP).count();

        assertEquals(List.of(), complaints(truth, records, groups, truth.digests().get(records - 1)));
        assertEquals(1, complaints(truth, records - 1, groups - 1, truth.digests().get(records - 2)).size());
        assertEquals(1, complaints(truth, records, groups, truth.digests().get(records - 2)).size());
        FileTrees.copy(journal.resolve("segment-00001"), journal.resolve("segment-00009"));
        assertEquals(1, complaints(truth, records, groups, truth.digests().get(records - 1)).size());
    }

    private static List<String> complaints(
        final JournalTruth truth, final long records, final long groups, final String digest) throws IOException
    {
        return JournalTruth.complaints("\"records\" : %d,\n\"groups\" : %d,\n\"digest\" : \"%s\"".formatted(
            records, groups, digest), truth.journal(), List.of(truth));
    }

    private static List<String> findInFile(final byte[] bytes, final Function<List<String>, Outcome> fault)
        throws IOException
    {
        final FileCase made = TraceCases.of(List.of("simulate", "--trace={file}", "--json", "--no-journal"), bytes);
        return complaintsOf(shared.fuzzer(new FakeCommand(shared.worker(), fault)).run("planted", random -> made, 0, 1));
    }

    private static String findIn(final Class<? extends CommandUnderTest> command, final long millis) throws IOException
    {
        try (FuzzRun run = FuzzRun.open(command, millis))
        {
            return complaintsOf(run.fuzzer().run("planted", random -> made("--seed=7"), 0, 1)).get(0);
        }
    }

    private static List<String> find(final Function<List<String>, Outcome> fault, final String... more) throws IOException
    {
        final Target target = new FakeCommand(shared.worker(), fault);
        return complaintsOf(shared.fuzzer(target).run("planted", random -> made(more), 0, 1));
    }

    private static List<String> complaintsOf(final Fuzzer fuzzer)
    {
        return fuzzer.findings().stream().flatMap(finding -> finding.complaints().stream()).toList();
    }

    private static List<OptionCase.Part> parts()
    {
        final List<OptionCase.Part> parts = new ArrayList<>();
        RUN.forEach(word -> parts.add(OptionCase.Part.fixed(word)));
        return parts;
    }

    private static OptionCase made(final String... more)
    {
        final List<OptionCase.Part> parts = parts();
        List.of(more).forEach(word -> parts.add(OptionCase.Part.of(word)));
        return new OptionCase(template, parts, Set.of(0, 2));
    }

    private static Function<List<String>, Outcome> planted(
        final String option, final int exitCode, final String out, final String err)
    {
        return arguments -> arguments.contains(option) ? Outcome.returned(exitCode, out, err) : null;
    }

    /** The effect of a fault on the files of its case. */
    private interface Harm
    {
        void to(Path directory) throws IOException;
    }

    private static Function<List<String>, Outcome> harming(final Harm harm)
    {
        return arguments ->
        {
            try
            {
                harm.to(shared.worker().workingDirectory().resolve("case"));
                return null;
            }
            catch (final IOException e)
            {
                throw new UncheckedIOException(e);
            }
        };
    }
}
