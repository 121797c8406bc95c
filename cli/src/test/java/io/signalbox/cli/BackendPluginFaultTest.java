// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Faulty jars and backends of third parties: one sentence each, exit code 2, and no journal before it is needed. */
@Timeout(300)
class BackendPluginFaultTest
{
    private static final String ABLE = ".readsTokens(true).capturesExperts(true)";
    private static final String MAKE = "return new Bad();";

    @TempDir
    private Path directory;

    private CommandRun run(final String plugin, final String label)
    {
        return CommandRun.of("run", "--plugins", plugin, "--backend", label, "--journal",
            directory.resolve("journal").toString());
    }

    private void assertRefused(final Path jar, final String label, final String sentence)
    {
        final CommandRun run = run(jar.toString(), label);
        assertSentence(run, sentence);
        assertTrue(Files.notExists(directory.resolve("journal")), "no journal was begun");
    }

    private static void assertSentence(final CommandRun run, final String sentence)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        final String last = run.err().lines().reduce("", (first, second) -> second);
        assertTrue(last.contains(sentence), run.err());
        assertTrue(last.startsWith("signalbox run: ") && last.endsWith("."), run.err());
        assertEquals(1, run.err().lines().filter(line -> line.startsWith("signalbox run: ")).count(), run.err());
    }

    @Test
    void shouldRefuseWhatIsNoJarOfBackends() throws IOException
    {
        assertRefused(directory.resolve("none.jar"), "bad", "none.jar does not exist; give the jar of a plug-in.");
        final Path text = Files.writeString(directory.resolve("text.jar"), "no jar");
        assertRefused(text, "cpu", "text.jar is not a jar (");
        final Path content = Files.createDirectories(directory.resolve("content"));
        Files.writeString(content.resolve("file"), "");
        assertRefused(PluginJar.pack(directory.resolve("plain.jar"), content), "cpu",
            "plain.jar has no entry META-INF/services/io.signalbox.router.DpRouterProvider or " +
                "META-INF/services/io.signalbox.serving.BackendProvider");
        Files.createDirectories(content.resolve("META-INF/services"));
        Files.writeString(content.resolve(PluginJar.BACKENDS), "com.example.Missing");
        assertRefused(PluginJar.pack(directory.resolve("missing.jar"), content), "bad",
            "names the provider com.example.Missing, which is not in it; add the class, or correct the entry.");
        Files.writeString(content.resolve(PluginJar.BACKENDS), "java.lang.String");
        assertRefused(PluginJar.pack(directory.resolve("foreign.jar"), content), "bad",
            "names the provider java.lang.String, which is no BackendProvider; let it extend that type.");
        assertSentence(run("", "cpu"), "--plugins has an empty name; give the jar of a plug-in.");
    }

    @Test
    void shouldRefuseAFaultyRouterBeforeTheRunAndNotAtItsEnd() throws IOException
    {
        final Path jar = PluginJar.router(directory.resolve("router"), "broken", "", "return null;");
        final Path backend = PluginJar.backend(directory, "bad", ABLE, "", MAKE);
        final CommandRun run = CommandRun.of("run", "--plugins", jar + "," + backend, "--backend", "bad",
            "--router", "broken", "--journal", directory.resolve("journal").toString());
        assertSentence(run,
            "the router broken, version 1, cannot be made (its maker returned null); report it to the author of the router");
        assertTrue(Files.notExists(directory.resolve("journal")), "no journal was begun");
    }

    @Test
    void shouldNameTheBackendsThatThereAre() throws IOException
    {
        final Path jar = PluginJar.backend(directory, "bad", ABLE, "", MAKE);
        assertRefused(jar, "worse",
            "--backend=worse is not known; give one of cpu, cuda, bad, or the jar that holds it with");
    }

    @Test
    void shouldRefuseTwoBackendsOfOneLabel() throws IOException
    {
        final Path jar = PluginJar.backend(directory, "cpu", ABLE, "", MAKE);
        assertRefused(jar, "cpu", "--plugins: two backends have the label cpu, io.signalbox.cpu.CpuBackendProvider and " +
            "Bad$Provider; a label names one backend: leave one of them out, or give it another label.");
    }

    @Test
    void shouldRefuseAProviderThatCannotMakeItsBackend() throws IOException
    {
        final Path thrown =
            PluginJar.backend(directory, "bad", ABLE, "", "throw new IllegalStateException(\"no luck\");");
        assertRefused(thrown, "bad", "the backend bad threw java.lang.IllegalStateException: no luck when it was made; " +
            "report it to the author of the backend, or use another one.");
        final Path nothing = PluginJar.backend(directory, "none", ABLE, "", "return null;");
        assertRefused(nothing, "none", "the backend none returned null when it was made; report it");
        final Path overflow = PluginJar.backend(directory, "deep", ABLE, "", "return create(weights, values, clock);");
        assertRefused(overflow, "deep", "the backend deep threw java.lang.StackOverflowError when it was made; report it");
    }

    @Test
    void shouldRefuseAProviderThatCannotNameItsKernelsOrDevice() throws IOException
    {
        final String kernels = "@Override public String kernels(io.signalbox.model.DecoderPlan plan, SettingValues values) ";
        final String device = "@Override public String device(SettingValues values) ";
        final String advice = "@Override public String advice(SettingValues values, int ranks) ";
        final String thrown = "{ throw new Error(\"no luck\"); }";
        for (final String[] wrong : new String[][] {
            {"its kernels", kernels, thrown}, {"its device", device, thrown}, {"advice", advice, thrown},
            {"its kernels", kernels, "{ return null; }"}, {"its device", device, "{ return null; }"}})
        {
            final Path jar = PluginJar.backend(directory, "bad", ABLE, "", MAKE, wrong[1] + wrong[2]);
            assertRefused(jar, "bad", "the backend bad " +
                (wrong[2].equals(thrown) ? "threw java.lang.Error: no luck" : "returned null") + " when it was asked for " +
                wrong[0] + "; report it to the author of the backend, or use another one.");
        }
    }

    @Test
    void shouldRefuseABackendWithoutTheCapabilitiesThatTheRunNeeds() throws IOException
    {
        assertRefused(PluginJar.backend(directory, "blind", ".readsTokens(true)", "", MAKE), "blind",
            "the backend bad");
        assertRefused(PluginJar.backend(directory, "broken", ABLE + ".depth(0)", "", MAKE), "broken",
            "the backend bad says that it takes 0 steps per rank");
    }

    /** The journal has what happened up to there. */
    @Test
    void shouldNameABackendThatThrowsAtAStep() throws IOException
    {
        final Path jar =
            PluginJar.backend(directory, "bad", ABLE, "throw new IllegalArgumentException(\"too hard\");", MAKE);
        assertSentence(run(jar.toString(), "bad"), "the backend bad threw java.lang.IllegalArgumentException: too hard " +
            "when it received a step; report it to the author of the backend, or use another one.");
        final CommandRun replayed = CommandRun.of("replay", directory.resolve("journal").toString(), "--verify");
        assertEquals(ExitCode.OK, replayed.exitCode(), replayed.err());
    }
}
