// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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

    /** Ranks that compute a model: the journal can be computed again. */
    @Test
    void shouldServeAComputedModelAndContinueAfterACrash() throws Exception
    {
        final String[] options = {"--backend=cpu", "--ranks=2", "--journal=computed", "--served-model-name=tiny"};
        final String request = "{\"prompt\": [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21], " +
            "\"max_tokens\": 6, \"temperature\": 0, \"return_token_ids\": true}";
        final String first;
        try (ServedProcess server = new ServedProcess(directory, options))
        {
            first = server.post("/v1/completions", request).body();
            assertTrue(server.lines().toString().contains("\"prompt\": [1, 2, 3]"), server.lines().toString());
            assertTrue(server.post("/v1/completions", REQUEST).body().contains("no tokenizer is installed"));
            server.kill();
        }
        try (ServedProcess server = new ServedProcess(directory, options))
        {
            assertEquals(tokens(first), tokens(server.post("/v1/completions", request).body()));
            assertEquals(0, server.terminate(), server.lines().toString());
        }
        final CommandRun computed =
            CommandRun.of("replay", directory.resolve("computed").toString(), "--verify", "--recompute");
        assertEquals(0, computed.exitCode(), computed.err());
        assertTrue(computed.out().contains("recomputed        yes"), computed.out());
        assertTrue(computed.out().contains("12 sampled tokens"), computed.out());
    }

    private static String tokens(final String answer)
    {
        final String begin = "\"token_ids\":[";
        assertTrue(answer.contains(begin), answer);
        return answer.substring(answer.indexOf(begin)).split("]")[0];
    }

    private static String text(final String answer)
    {
        final String begin = "\"text\":\"";
        assertTrue(answer.contains(begin), answer);
        return answer.substring(answer.indexOf(begin)).split("\"")[3];
    }

    @Test
    void shouldKeepOpenFilesForItsJournalWhenClientsTakeAllConnections() throws Exception
    {
        final List<String> launcher = List.of("/bin/sh", "-c", "ulimit -n 200; exec \"$@\"", "sh");
        final List<Socket> idle = new ArrayList<>();
        try (ServedProcess server = new ServedProcess(
            launcher, directory, "--journal=served", "--ranks=1", "--time-scale=1000", "--segment-bytes=65536"))
        {
            final URI address = URI.create(server.address());
            connect(address, idle);
            for (int i = 0; i < 5; i++)
            {
                assertTrue(answer(idle.get(i), address, "word ".repeat(20_000)).startsWith("HTTP/1.1 200"), "request " + i);
            }
            assertEquals(0, server.terminate(), server.lines().toString());
            assertFalse(server.lines().toString().contains("Exception"), server.lines().toString());
            assertTrue(Files.exists(directory.resolve("served/segment-00003")), "the journal has begun further segments");
        }
        finally
        {
            for (final Socket socket : idle)
            {
                socket.close();
            }
        }
    }

    /** Connects until the server takes no more. */
    private static void connect(final URI address, final List<Socket> into) throws IOException
    {
        try
        {
            while (into.size() < 1_000)
            {
                final Socket socket = new Socket();
                into.add(socket);
                socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), 500);
            }
        }
        catch (final SocketTimeoutException e)
        {
            assertTrue(into.size() > 30, into.size() + " connections");
        }
    }

    private static String answer(final Socket socket, final URI address, final String prompt) throws IOException
    {
        final String body = "{\"prompt\": \"" + prompt + "\", \"max_tokens\": 5}";
        socket.getOutputStream().write(("POST /v1/completions HTTP/1.1\r\nHost: " + address.getAuthority() +
            "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" +
            body).getBytes(StandardCharsets.US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
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
        assertRefused("--model-seed=3", "--model-seed is for a backend that computes a model");
        assertRefused("--tokenizer=t.json", "--tokenizer is for a backend that computes a model");
        assertRefused("--backend=none", "--backend=none is not known");
    }

    @Test
    void shouldNameTheOptionThatAComputedModelDoesNotUse()
    {
        for (final String option : new String[] {"--time-scale=2", "--mean-answer-tokens=9", "--gpu=h100", "--cost=c.json",
            "--experts=8", "--seed=2", "--step-base-nanos=5", "--faults=dropped=0.1"})
        {
            final CommandRun run = CommandRun.of("serve", "--port=0", "--no-journal", "--backend=cpu", option);
            assertEquals(2, run.exitCode(), option + ": " + run.err());
            assertTrue(run.err().contains(option.substring(0, option.indexOf('=')) + " is for simulated ranks"), run.err());
        }
        final CommandRun context =
            CommandRun.of("serve", "--port=0", "--no-journal", "--backend=cpu", "--max-model-len=5000");
        assertTrue(context.err().contains("--max-model-len=5000 is above the 4096 positions of the model"), context.err());
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
