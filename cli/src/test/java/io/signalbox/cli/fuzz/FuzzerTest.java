// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

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
import java.util.function.Predicate;

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

        final List<String> complaints =
            shared.fuzzer("planted", accepting).complaints(new OptionCase(template, parts, Set.of(0, 2)));
        assertTrue(complaints.get(0).startsWith("number: "), complaints.toString());
    }

    @Test
    void shouldMakeAFindingSmall()
    {
        final Path kept = Path.of("target", "fuzz", "planted-journals").toAbsolutePath();
        final String ofJournal = failureOf("readsJournals");
        assertTrue(ofJournal.contains(" with 0 changes and 0 forgeries, see changes.txt\n" +
            "  ./signalbox replay " + kept.resolve("journal") + " --json\n  exit code: 3"), ofJournal);
        final String ofTrace = failureOf("readsTraces");
        assertTrue(ofTrace.startsWith("0 changes of tokens and 0 of bytes in 76 bytes\n"), ofTrace);
    }

    /** The text of the smallest case that jqwik finds for a planted fault. */
    private static String failureOf(final String property)
    {
        final List<String> failures = new ArrayList<>();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectMethod(Planted.class, property, "io.signalbox.cli.fuzz.FuzzCase")).build(),
            new TestExecutionListener()
            {
                @Override
                public void executionFinished(final TestIdentifier test, final TestExecutionResult result)
                {
                    result.getThrowable().ifPresent(failure -> failures.add(failure.getMessage()));
                }
            });
        assertEquals(1, failures.size(), failures::toString);
        return failures.get(0);
    }

    /** Properties that fail. */
    static final class Planted
    {
        @Property(tries = 1_000, seed = "1")
        void readsJournals(@ForAll("journals") final FuzzCase made) throws IOException
        {
            check("planted-journals", arguments -> arguments.get(0).equals("replay") && arguments.contains("--json"), made);
        }

        @Property(tries = 1_000, seed = "1")
        void readsTraces(@ForAll("traces") final FuzzCase made) throws IOException
        {
            check("planted-traces", arguments -> arguments.stream().filter(word -> word.startsWith("--trace="))
                .anyMatch(word -> contains(Path.of(word.substring(8)), "\"timestamp\": 45")), made);
        }

        private static void check(final String name, final Predicate<List<String>> fault, final FuzzCase made)
            throws IOException
        {
            shared.fuzzer(name, new FakeCommand(shared.worker(), arguments ->
                fault.test(arguments) ? Outcome.returned(3, "", "signalbox: an internal error.") : null)).check(made);
        }

        private static boolean contains(final Path file, final String text)
        {
            try
            {
                return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text);
            }
            catch (final IOException e)
            {
                throw new UncheckedIOException(e);
            }
        }

        @Provide
        Arbitrary<FuzzCase> journals() throws IOException
        {
            return new JournalCases(shared.directory("journals"), shared.worker()).cases();
        }

        @Provide
        Arbitrary<FuzzCase> traces()
        {
            return new TraceCases().cases();
        }
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
        return shared.fuzzer("planted", new FakeCommand(shared.worker(), fault)).complaints(made);
    }

    private static String findIn(final Class<? extends CommandUnderTest> command, final long millis) throws IOException
    {
        try (FuzzRun run = FuzzRun.open(command, millis))
        {
            return run.fuzzer("planted").complaints(made("--seed=7")).get(0);
        }
    }

    private static List<String> find(final Function<List<String>, Outcome> fault, final String... more) throws IOException
    {
        final Target target = new FakeCommand(shared.worker(), fault);
        return shared.fuzzer("planted", target).complaints(made(more));
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
