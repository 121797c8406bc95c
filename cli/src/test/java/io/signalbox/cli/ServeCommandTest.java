// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A server as its operator starts and stops it. */
@Tag("threads")
class ServeCommandTest
{
    private static final String REQUEST = "{\"prompt\": \"Once\", \"max_tokens\": 5, \"temperature\": 0}";
    private static final String[] OPTIONS = {"--journal=served", "--ranks=2", "--time-scale=100"};

    @TempDir
    private Path directory;

    @Test
    void shouldContinueItsJournalAfterACrashAndSealItWhenItIsStopped() throws Exception
    {
        final String first;
        try (ServedProcess server = new ServedProcess(directory, OPTIONS))
        {
            first = server.post("/v1/completions", REQUEST).body();
            server.kill();
        }
        try (ServedProcess server = new ServedProcess(directory, OPTIONS))
        {
            final String second = server.post("/v1/completions", REQUEST).body();
            assertEquals(text(first), text(second), "the same prompt has the same answer");
            assertEquals(0, server.terminate(), server.lines().toString());
            assertTrue(server.lines().toString().contains("served is sealed"), server.lines().toString());
        }
        final CommandRun verified = CommandRun.of("replay", directory.resolve("served").toString(), "--verify");
        assertEquals(0, verified.exitCode(), verified.err());
        assertTrue(verified.out().contains("closed            yes"), verified.out());
        try (ServedProcess server = new ServedProcess(directory, "--journal=served", "--ranks=2", "--time-scale=100",
            "--seed=2"))
        {
            assertEquals(2, server.end());
            assertTrue(server.lines().toString().contains("sim.seed"), server.lines().toString());
        }
    }

    private static String text(final String answer)
    {
        final String begin = "\"text\":\"";
        assertTrue(answer.contains(begin), answer);
        return answer.substring(answer.indexOf(begin)).split("\"")[3];
    }

    @Test
    void shouldNameTheOptionThatItCannotServeWith()
    {
        assertRefused("--faults=dropped=0.1", "a fault plan");
        assertRefused("--no-verify", "--no-verify");
        assertRefused("--time-scale=0", "--time-scale=0.0");
        assertRefused("--max-model-len=2000000000", "--max-model-len");
        assertRefused("--drain-seconds=-1", "--drain-seconds");
        assertRefused("--port=70000", "70000");
        assertRefused("--host=host.invalid", "host.invalid");
        assertRefused("--host=0.0.0.0", "--api-key-file");
    }

    private void assertRefused(final String option, final String word)
    {
        final String journal = "--journal=" + directory.resolve("new");
        final CommandRun run =
            CommandRun.of("serve", option.startsWith("--port") ? "--ranks=1" : "--port=0", option, journal);
        assertEquals(2, run.exitCode(), option + ": " + run.err());
        assertTrue(run.err().contains(word), run.err());
        assertEquals(1, run.err().strip().lines().count(), run.err());
        assertFalse(Files.exists(directory.resolve("new")), option + " leaves a directory");
    }
}
