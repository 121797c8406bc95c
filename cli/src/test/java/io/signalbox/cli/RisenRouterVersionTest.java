// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Commands on a journal whose router has an earlier version than the installed one. */
class RisenRouterVersionTest
{
    private static final String MAKE = "return new Bad();";
    private static final String AS_RECORDED = " of version 1 of the router turn are as recorded; version 2 is installed";

    @TempDir
    private static Path directory;
    private static String journal;
    private static String earlier;
    private static String later;

    @BeforeAll
    static void simulate() throws IOException
    {
        earlier = PluginJar.router(directory.resolve("earlier"), "turn", 1, "", MAKE).toString();
        // Ties go to the lower load, so the second version decides otherwise.
        later = PluginJar.router(directory.resolve("later"), "turn", 2,
            "@Override protected long addedLoad(final PlacementBatch batch, final int request, final int rank) " +
            "{ return -request; }", MAKE).toString();
        journal = directory.resolve("journal").toString();
        run("simulate", "--conversations", "12", "--ranks", "4", "--plugins", earlier, "--router", "turn",
            "--journal", journal);
    }

    private static CommandRun run(final String... arguments)
    {
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run;
    }

    @Test
    void shouldVerifyAllButThePlacements()
    {
        final String verified = run("replay", journal, "--verify", "--plugins", later).out();

        assertTrue(verified.startsWith("verified          yes: "), verified);
        assertTrue(verified.matches("(?s).*\\nplacements        [1-9][0-9]*" + AS_RECORDED + "\\R.*"), verified);
        final String json = run("replay", journal, "--verify", "--json", "--plugins", later).out();
        assertTrue(json.replaceAll("\\s", "").contains("\"repeated\":[{\"router\":\"turn\",\"version\":1," +
            "\"installed\":2,"), json);
        assertFalse(run("replay", journal, "--verify", "--plugins", earlier).out().contains("as recorded"));
    }

    /** A what-if re-runs all requests, so it names the version whose decisions it does not repeat. */
    @Test
    void shouldAskWhatTheLaterVersionWouldDecide() throws IOException
    {
        final String answer = run("whatif", journal, "--plugins", later, "--router", "signalbox").out();
        final String same = run("whatif", journal, "--plugins", earlier, "--router", "signalbox").out();

        assertTrue(answer.contains("the decisions of version 1 of the router turn: version 2 is installed"), answer);
        assertFalse(same.contains("the decisions of version 1"), same);
        assertTrue(Files.exists(Path.of(journal)));
    }

    @Test
    void shouldInspectAndExport() throws IOException
    {
        // This question needs no router.
        run("inspect", "requests", journal);
        final Path key = directory.resolve("key");
        Files.write(key, "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        final String redacted = directory.resolve("redacted").toString();
        run("redact", journal, redacted, "--journal-key", key.toString(), "--plugins", later);
        run("replay", redacted, "--verify", "--plugins", later);
        run("snapshot", journal, "--scheduler", "--every", "100", "--plugins", later);
        final String verified = run("replay", journal, "--from-snapshot", "--plugins", later).out();
        assertTrue(verified.startsWith("verified          yes: "), verified);
    }
}
