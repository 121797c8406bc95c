// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.printing.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

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

    private static Arguments isOpen(final boolean open, final String fault)
    {
        return broken(MAKE, "@Override protected boolean isOpen(final PlacementBatch batch, final int request, " +
            "final int rank) { return " + open + "; }", fault);
    }

    private static Stream<Arguments> brokenRouters()
    {
        return Stream.of(
            broken("return null;", "", "it cannot be made (its maker returned null); report it to the author"),
            broken("throw new IllegalStateException(\"no luck\");", "",
                "it cannot be made (java.lang.IllegalStateException: no luck)"),
            atBegin("throw new IllegalStateException(\"oops\");",
                "it threw java.lang.IllegalStateException: oops; report"),
            atBegin("begin(batch);", "it threw java.lang.StackOverflowError"),
            atBegin("throw new Error(\"plain\");", "it threw java.lang.Error: plain; report"),
            atBegin("kept = new int[batch.ranks()];", "it allocates about "),
            atBegin("if (batch.count() > 0) batch.choose(0, batch.ranks(), 0, TieRule.OTHER);",
                ", and the ranks are 0 to "),
            atBegin("if (batch.count() > 0) batch.choose(0, -1, 0, TieRule.OTHER);", "it chose rank -1 for request "),
            atBegin("if (batch.count() > 0) batch.gate(0, null);", "it noted the match gate null for request 0"),
            isOpen(true, " rank "),
            isOpen(false, " requests in the queue, and rank "),
            broken(MAKE, "static int calls; @Override public long digest() { return calls++; }",
                "it has different digests"),
            broken(MAKE, "@Override public long snapshotBytes() { return 4; }",
                "it wrote 4 bytes less into its snapshot than it announced"));
    }

    /** Violations that a trial of random batches finds, before anything is simulated. */
    @ParameterizedTest
    @MethodSource("brokenRouters")
    void shouldRefuseARouterThatBreaksItsContract(final String make, final String body, final String fault)
        throws IOException
    {
        final Path jar = PluginJar.router(directory, "bad", body, make);
        assertRefused(jar, "bad",
            "--plugins: the router bad, version 1, of " + jar + " breaks the contract of routers: it ");
        assertRefused(jar, "bad", fault);
    }

    /** The trial does not find it: the engine fails and names the router, and its journal is whole up to this point. */
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
