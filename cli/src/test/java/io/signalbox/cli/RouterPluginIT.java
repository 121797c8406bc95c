// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Uses the jar that samples/router-plugin makes in its build by the label of its router. */
class RouterPluginIT
{
    private static final Path SAMPLE = Path.of(System.getProperty("signalbox.root")).resolve("samples/router-plugin");

    private static final SampleBuild BUILD = new SampleBuild("router-plugin");
    private static final String JAR = BUILD.jar().toString();

    @TempDir
    private Path directory;

    @Test
    void shouldBeOneFileAndOneServiceEntry() throws Exception
    {
        assertEquals(2, PluginJar.files(SAMPLE.resolve("src/main")).size());
        assertTrue(Files.exists(SAMPLE.resolve("src/main/resources").resolve(PluginJar.SERVICE)));
    }

    @Test
    void shouldPassItsOwnTests() throws Exception
    {
        assertTrue(BUILD.tests() >= 9, BUILD.tests() + " tests, those of the contract and one property");
    }

    @Test
    void shouldRunVerifyInspectAndReplayByItsLabel()
    {
        final String journal = directory.resolve("journal").toString();
        final CommandRun simulated = CommandRun.of("simulate", "--conversations", "20", "--plugins", JAR, "--router",
            "queue-aware", "--router-options", "requestPrice=50", "--journal", journal, "--json");
        assertEquals(ExitCode.OK, simulated.exitCode(), simulated.err());
        final Map<String, String> leaves = JsonText.leaves(simulated.out());
        assertTrue(leaves.containsValue("queue-aware"), leaves.toString());
        assertTrue(simulated.out().contains("\"router.knob.requestPrice\""), simulated.out());

        final CommandRun replayed = CommandRun.of("replay", journal, "--verify", "--plugins", JAR);
        assertEquals(ExitCode.OK, replayed.exitCode(), replayed.err());

        final CommandRun inspected = CommandRun.of("inspect", journal, "--request", "1");
        assertEquals(ExitCode.OK, inspected.exitCode(), inspected.err());
        assertTrue(inspected.out().contains(" by queue-aware: "), inspected.out());

        final CommandRun absent = CommandRun.of("replay", journal, "--verify");
        assertEquals(ExitCode.BAD_INPUT, absent.exitCode());
        assertTrue(absent.err().contains(" cannot be replayed: the run used the router queue-aware, version 1, which is " +
            "not installed; give the jar that holds it with --plugins."), absent.err());
    }

    @Test
    void shouldBeComparedByItsLabel()
    {
        final CommandRun run = CommandRun.of("compare", "--conversations", "5", "--seeds", "1", "--workers", "1",
            "--plugins", JAR, "--router", "queue-aware,signalbox", "--router-options", "requestPrice=10");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("queue-aware"), run.out());

        final CommandRun unknown = CommandRun.of("compare", "--router", "queue-aware");
        assertEquals(ExitCode.BAD_INPUT, unknown.exitCode());
        assertTrue(unknown.err().contains("--router=queue-aware is not known"), unknown.err());
        assertTrue(unknown.err().contains("--plugins"), unknown.err());
    }

    @Test
    void shouldBeListedWithItsKnobs()
    {
        for (final String command : List.of("simulate", "compare"))
        {
            final CommandRun run = CommandRun.of(command, "--plugins", JAR, "--list-routers");
            assertEquals(ExitCode.OK, run.exitCode(), run.err());
            assertTrue(run.out().contains("queue-aware          version 1\n    T - m + requestPrice * requests.\n" +
                "    requestPrice=200.0   Price of an active request, in prefill tokens.\n"), run.out());
            assertTrue(run.out().startsWith("default              version 1\n"), run.out());
        }
    }
}
