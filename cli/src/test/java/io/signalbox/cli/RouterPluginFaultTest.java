// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.TieRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Faulty jars and routers of third parties: one sentence each, exit code 2, and no journal is lost. */
class RouterPluginFaultTest
{
    private static final String MAKE = "return new Bad();";
    private static final String OPEN =
        "@Override protected boolean isOpen(final PlacementBatch batch, final int request, final int rank) { return %s; }";

    @TempDir
    private Path directory;

    private void assertRefused(final Path jar, final String label, final String sentence)
    {
        final Path journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of("simulate", "--conversations", "3", "--plugins", jar.toString(), "--router",
            label, "--journal", journal.toString());
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
        assertTrue(run.err().contains(sentence), run.err());
        assertTrue(run.err().strip().endsWith("."), run.err());
        assertTrue(Files.notExists(journal), "no journal was begun");
    }

    @Test
    void shouldRefuseWhatIsNoJarOfRouters() throws IOException
    {
        assertRefused(directory.resolve("none.jar"), "bad", "none.jar does not exist; give the jar of a plug-in.");
        assertRefused(directory, "bad", " is not a file; give the jar of a plug-in.");
        final Path text = Files.writeString(directory.resolve("text.jar"), "no jar");
        assertRefused(text, "bad", "text.jar is not a jar (");
        final Path content = Files.createDirectories(directory.resolve("content"));
        Files.writeString(content.resolve("file"), "");
        assertRefused(PluginJar.pack(directory.resolve("plain.jar"), content), "bad",
            "has no entry META-INF/services/io.signalbox.router.DpRouterProvider; name the class of each provider there");
        Files.createDirectories(content.resolve("META-INF/services"));
        Files.writeString(content.resolve(PluginJar.SERVICE), "# nothing\n\n");
        assertRefused(PluginJar.pack(directory.resolve("empty.jar"), content), "bad", "that names no class; name the class");
        Files.writeString(content.resolve(PluginJar.SERVICE), "com.example.Missing");
        assertRefused(PluginJar.pack(directory.resolve("missing.jar"), content), "bad",
            "names the provider com.example.Missing, which is not in it; add the class, or correct the entry.");
        Files.writeString(content.resolve(PluginJar.SERVICE), "java.lang.String");
        assertRefused(PluginJar.pack(directory.resolve("foreign.jar"), content), "bad",
            "names the provider java.lang.String, which is no DpRouterProvider; let it extend that type.");
    }

    @Test
    void shouldRefuseAClassThatDoesNotLoad() throws IOException
    {
        PluginJar.router(directory, "bad", "", MAKE);
        final Path content = directory.resolve("content");
        final Path provider = content.resolve("Bad$Provider.class");
        final byte[] good = Files.readAllBytes(provider);
        final byte[] newer = good.clone();
        newer[7] = 99;
        Files.write(provider, newer);
        assertRefused(PluginJar.pack(directory.resolve("newer.jar"), content), "bad", "which needs a newer Java (");
        final byte[] damaged = good.clone();
        damaged[0] = 0;
        Files.write(provider, damaged);
        assertRefused(PluginJar.pack(directory.resolve("damaged.jar"), content), "bad",
            "which cannot be loaded (java.lang.ClassFormatError");
        Files.write(provider, good);
        Files.delete(content.resolve("Bad.class"));
        assertRefused(PluginJar.pack(directory.resolve("half.jar"), content), "bad",
            "cannot be made (java.lang.NoClassDefFoundError: Bad)");
        final String initialiser = MAKE + "} static { if (true) throw new Error(\"plain\");";
        assertRefused(PluginJar.router(directory, "bad", "", initialiser), "bad",
            "which cannot be loaded (java.lang.Error: plain)");
    }

    @Test
    void shouldRefuseASecondRouterOfTheSameLabel() throws IOException
    {
        assertRefused(PluginJar.router(directory, "lmetric", "", MAKE), "lmetric",
            "two routers have the label lmetric, io.signalbox.router.published.LMetricDpRouter$Provider and Bad$Provider");
        assertRefused(PluginJar.router(directory, "Bad", "", MAKE), "bad",
            "Bad$Provider, which cannot be made: label of a router=Bad is not a lower-case letter");
    }

    @Test
    void shouldNameTheJarsOfTwoRoutersOfTheSameLabel() throws IOException
    {
        final Path jar = PluginJar.router(directory, "bad", "", MAKE);
        final Path copy = Files.copy(jar, directory.resolve("copy.jar"));

        final CommandRun both = CommandRun.of("simulate", "--conversations", "3", "--plugins", jar + "," + copy);
        assertEquals(ExitCode.BAD_INPUT, both.exitCode());
        assertEquals("signalbox simulate: --plugins: the jars " + jar + " and " + copy +
            " both hold a router with the label bad; leave one of them out.", both.err().strip());

        final CommandRun twice = CommandRun.of("simulate", "--conversations", "3", "--plugins", jar + "," + jar);
        assertEquals(ExitCode.BAD_INPUT, twice.exitCode());
        assertEquals("signalbox simulate: --plugins names " + jar + " twice; name it once.", twice.err().strip());
    }

    /** The sentence is that of the fault, which the JDK wraps twice here, with the remedy of the fault. */
    @Test
    void shouldNameTheFaultOfAKnobsDeclaration() throws IOException
    {
        final String knob = "static final Setting<Double> KNOB = Setting.real(\"knob\", \"\", 11, 0, 10, \"A knob.\");";
        final Path jar = PluginJar.router(directory, "bad", knob, MAKE + "} { if (KNOB == null) throw new Error();");
        assertRefused(jar, "bad", "names the provider Bad$Provider, which cannot be made: knob=11.0 is not between " +
            "0 and 10; give a number in that range.");
    }

    private static Arguments broken(final String make, final String body, final String fault)
    {
        return Arguments.of(make, body, fault);
    }

    private static Arguments atBegin(final String action, final String fault)
    {
        return broken(MAKE,
            "int[] kept; @Override protected void begin(final PlacementBatch batch) { " + action + " }", fault);
    }

    /** Makes a router with this score. */
    private static String scored(final String score, final String body)
    {
        return "return new ScoredDpRouter() { @Override protected double score(final PlacementBatch batch, " +
            "final int request, final int rank) { " + score + " } " + body + "};";
    }

    private static Arguments scores(final String score)
    {
        return broken(scored("batch.candidate(request, rank, 0, 0, 0, 0); return " + score + ";", ""), "",
            "returned " + score.replace("1.0 / 0", "Infinity").replace("0.0 / 0", "NaN") +
            " as the score of rank 0 for request 1, which is not a finite number; isOpen leaves a rank out");
    }

    private static Stream<Arguments> brokenRouters()
    {
        return Stream.of(
            atBegin("throw new IllegalStateException(\"oops\");", "threw java.lang.IllegalStateException: oops"),
            atBegin("begin(batch);", "threw java.lang.StackOverflowError"),
            atBegin("throw new Error(\"plain\");", "threw java.lang.Error: plain"),
            atBegin("if (batch.count() > 0) batch.choose(0, batch.ranks(), 0, TieRule.OTHER);",
                "chose rank 2 for request 1, and the ranks are 0 to 1"),
            atBegin("if (batch.count() > 0) batch.choose(0, -1, 0, TieRule.OTHER);",
                "chose rank -1 for request 1, and the ranks are 0 to 1"),
            atBegin("if (batch.count() > 0) batch.gate(0, null);", "noted the match gate null for request 0 of "),
            broken(scored("batch.candidate(request, rank, rank, 0, 0, 0); return rank;", OPEN.formatted(true)), "",
                "put 2 requests on rank 0, which holds at most 1"),
            broken(scored("return rank;", ""), "", "chose rank 0 for request 1 without noting it as a candidate"),
            broken(scored("return rank;", OPEN.formatted(false)), "",
                "left 1 of 1 requests in the queue, and rank 0 is idle"),
            scores("0.0 / 0"), scores("1.0 / 0"), scores("-1.0 / 0"));
    }

    /** The engine fails and names the router; the journal is whole up to that point. */
    @ParameterizedTest
    @MethodSource("brokenRouters")
    void shouldStopARunByTheNameOfARouterThatBreaksItsContract(final String make, final String body, final String fault)
        throws IOException
    {
        final Path jar = PluginJar.router(directory, "bad", body, make);
        final CommandRun run = CommandRun.of("simulate", "--conversations", "6", "--arrivals", "poisson:1000",
            "--ranks", "2", "--max-running", "1", "--plugins", jar.toString(), "--router", "bad", "--journal",
            directory.resolve("journal").toString());
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        final String last = run.err().lines().reduce("", (first, second) -> second);
        assertTrue(last.startsWith("signalbox simulate: the router bad, version 1, " + fault), run.err());
        assertTrue(last.endsWith("; report it to the author of the router, or choose another one."), run.err());
    }

    private static Stream<Arguments> routersThatCannotBeMade()
    {
        return Stream.of(Arguments.of("return null;", "its maker returned null"),
            Arguments.of("throw new IllegalStateException(\"no luck\");", "java.lang.IllegalStateException: no luck"));
    }

    @ParameterizedTest
    @MethodSource("routersThatCannotBeMade")
    void shouldRefuseARouterThatCannotBeMade(final String make, final String fault) throws IOException
    {
        assertRefused(PluginJar.router(directory, "bad", "", make), "bad",
            "the router bad, version 1, cannot be made (" + fault + "); report it to the author of the router");
    }

    /** Decisions or digests that depend on the time. */
    @ParameterizedTest
    @ValueSource(strings = {"", "@Override public long digest() { return System.nanoTime(); }"})
    void shouldNameARouterThatDoesNotRepeatItself(final String digest) throws IOException
    {
        final String score = digest.isEmpty() ? "System.nanoTime() % 13" : "0";
        final Path jar = PluginJar.router(directory, "bad", "", scored("final double score = " + score + "; " +
            "batch.candidate(request, rank, score, 0, 0, 0); return score;", digest));
        final String journal = directory.resolve("journal").toString();
        final CommandRun run = CommandRun.of("simulate", "--conversations", digest.isEmpty() ? "30" : "200",
            "--plugins", jar.toString(), "--router", "bad", "--journal", journal);
        assertEquals(ExitCode.CHECK_FAILED, run.exitCode(), run.err());
        final String sentence = "decided by        the router bad, version 1: the same batches must give it the same ";
        assertTrue(run.out().contains(sentence), run.out());
        final CommandRun replayed = CommandRun.of("replay", journal, "--plugins", jar.toString());
        assertEquals(ExitCode.CHECK_FAILED, replayed.exitCode(), replayed.err());
        assertTrue(replayed.out().contains(sentence), replayed.out());
        final CommandRun followed = CommandRun.of("snapshot", journal, "--scheduler", "--plugins", jar.toString());
        assertEquals(ExitCode.CHECK_FAILED, followed.exitCode(), followed.err());
        assertTrue(followed.err().contains(", and now the router bad, version 1, decides ["), followed.err());
    }

    /** A snapshot is not written if a restart would refuse it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        @Override public long snapshotBytes() { return 4; } | wrote 4 bytes less into its snapshot than it announced
        int placed; @Override protected void placed(final PlacementBatch batch, final int request, final int rank) \
        { placed++; } @Override public long digest() { return placed; } | does not restore its own snapshot (the router
        @Override public void restore(final java.nio.ByteBuffer from, final int ranks) \
        { throw new Error("plain"); } | does not restore its own snapshot (the router snapshot has a state that the bad
        """)
    void shouldNameARouterThatDoesNotRestoreItsState(final String body, final String fault) throws IOException
    {
        final Path jar = PluginJar.router(directory, "bad", body, MAKE);
        final Path journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of("simulate", "--conversations", "30", "--plugins", jar.toString(), "--router",
            "bad", "--journal", journal.toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final CommandRun followed =
            CommandRun.of("snapshot", journal.toString(), "--scheduler", "--plugins", jar.toString());
        assertEquals(ExitCode.BAD_INPUT, followed.exitCode(), followed.err());
        assertTrue(followed.err().contains("the router bad, version 1, " + fault), followed.err());
        BadInputTest.assertOneSentence(followed.err());
        assertEquals(List.of(),
            PluginJar.files(journal).stream().filter(file -> file.toString().contains("scheduler-")).toList());
    }

    /** The engine fails and names the router, and its journal is whole up to this point. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        throw new IllegalStateException("at forty") | threw java.lang.IllegalStateException: at forty
        throw new Error("at forty") | threw java.lang.Error: at forty
        batch.choose(request, 77, 0, TieRule.OTHER) | chose rank 77 for request 40, and the ranks are 0 to 7
        """)
    void shouldFailByNameInTheMiddleOfARunAndKeepTheJournal(final String action, final String fault) throws IOException
    {
        final Path jar = PluginJar.router(directory, "bad", """
            @Override protected void consider(final PlacementBatch batch, final int request)
            {
                if (batch.requestId(request) == 40)
                {
                    %s;
                }
            }
            """.formatted(action), MAKE);
        for (final List<String> engine : List.of(List.<String>of(), List.of("--threaded")))
        {
            final Path journal = directory.resolve("journal" + engine.size());
            final List<String> command = new ArrayList<>(List.of("simulate", "--conversations", "30", "--plugins",
                jar.toString(), "--router", "bad", "--journal", journal.toString()));
            command.addAll(engine);
            final CommandRun run = CommandRun.of(command);
            assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
            assertTrue(run.err().contains("the router bad, version 1, " + fault + "; report it to the author"), run.err());

            final CommandRun replayed = CommandRun.of("replay", journal.toString(), "--plugins", jar.toString());
            assertEquals(ExitCode.OK, replayed.exitCode(), replayed.err());
            assertTrue(replayed.out().contains("closed            no: cut short, the run failed at record"), replayed.out());
        }
    }

    /** Questions about a run read its events, so they need no jar; commands that decide again name the router. */
    @Test
    void shouldAnswerQuestionsWithoutTheJar() throws IOException
    {
        final Path jar = PluginJar.router(directory, "bad", "", MAKE);
        final String journal = directory.resolve("journal").toString();
        final CommandRun simulated = CommandRun.of("simulate", "--conversations", "5", "--plugins", jar.toString(),
            "--router", "bad", "--journal", journal);
        assertEquals(ExitCode.OK, simulated.exitCode(), simulated.err());

        final CommandRun inspected = CommandRun.of("inspect", journal);
        assertEquals(ExitCode.OK, inspected.exitCode(), inspected.err());
        assertTrue(inspected.out().contains(" by bad; 0 on hints"), inspected.out());
        for (final String question : List.of("--request=1", "--requests", "--experts", "--moment=1", "--events"))
        {
            final CommandRun asked = CommandRun.of("inspect", journal, question);
            assertEquals(ExitCode.OK, asked.exitCode(), question + ": " + asked.err());
        }

        final Path key = Files.write(directory.resolve("key"), new byte[40]);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        final List<String> redact = new ArrayList<>(
            List.of("redact", journal, directory.resolve("new").toString(), "--journal-key", key.toString()));
        final CommandRun absent = CommandRun.of(redact);
        assertEquals(ExitCode.BAD_INPUT, absent.exitCode());
        assertTrue(absent.err().contains("the run used the router bad, version 1, which is not installed"), absent.err());
        redact.addAll(List.of("--plugins", jar.toString()));
        final CommandRun redacted = CommandRun.of(redact);
        assertEquals(ExitCode.OK, redacted.exitCode(), redacted.err());
    }
}
