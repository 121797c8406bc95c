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
