// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a server with keys keeps from clients, and what it does with their texts. */
@Tag("threads")
class ProtectionTest
{
    private static final String KEY = "0123456789abcdef-client";
    private static final String ADMIN = "0123456789abcdef-admin";
    private static final String WRONG = "0123456789abcdef-wrong";
    private static final int BLOCK_BYTES = 1 << 16;
    /** The only routes that need no key, and those of clients; every other one needs the admin key. */
    private static final List<String> OPEN = List.of("GET /health", "GET /health/ready", "GET /version");
    private static final List<String> OF_CLIENTS = List.of("GET /get_server_info", "GET /get_weight_version",
        "GET /health_generate", "GET /metrics", "GET /server_info", "GET /v1/loads", "GET /v1/models", "POST /detokenize",
        "POST /generate", "POST /inference/v1/generate", "POST /tokenize", "POST /v1/chat/completions",
        "POST /v1/completions");

    @TempDir
    private static Path directory;
    private static RunningServer server;

    @BeforeAll
    static void start()
    {
        server = new RunningServer(1000, scheduler -> { }, config ->
            config.apiKeys(AccessKeys.of("test", KEY)).adminKeys(AccessKeys.of("test", ADMIN)),
            new DirectoryJournal(directory.resolve("run"), JournalConfig.of(Durability.PROCESS)));
    }

    @AfterAll
    static void stop()
    {
        server.close();
    }

    private static String ask(final String route, final String key, final String body) throws IOException
    {
        return RawClient.ask(server.uri("/"), route + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
            (key == null ? "" : "Authorization: Bearer " + key + "\r\n") + "Content-Length: " + body.length() + "\r\n\r\n" +
            body);
    }

    private static int status(final String answer)
    {
        return Integer.parseInt(answer.split(" ")[1]);
    }

    /** A new route is in one of the lists of this test, or it needs the admin key. */
    @Test
    void shouldProtectEveryRouteAsItIsDeclared() throws IOException
    {
        final Map<String, GuardedRoute.Access> routes = server.server().access();
        assertTrue(routes.keySet().containsAll(OPEN) && routes.keySet().containsAll(OF_CLIENTS), routes.toString());
        for (final Map.Entry<String, GuardedRoute.Access> route : routes.entrySet())
        {
            final String name = route.getKey();
            final GuardedRoute.Access access = OPEN.contains(name) ? GuardedRoute.Access.ALL :
                OF_CLIENTS.contains(name) ? GuardedRoute.Access.CLIENTS : GuardedRoute.Access.ADMINS;
            assertEquals(access, route.getValue(), name);
            final List<Integer> refused = new ArrayList<>();
            for (final String key : new String[] {null, WRONG, KEY})
            {
                refused.add(status(ask(name, key, "")));
            }
            final int unknown = access == GuardedRoute.Access.CLIENTS ? 401 : 403;
            for (int i = 0; i < refused.size(); i++)
            {
                final boolean mayPass =
                    access == GuardedRoute.Access.ALL || access == GuardedRoute.Access.CLIENTS && i == 2;
                assertEquals(!mayPass, refused.get(i) == unknown, name + " answers " + refused);
            }
        }
    }

    /** Keys are in no answer, journal or text of an object. */
    @Test
    void shouldShowNoKey() throws IOException
    {
        final StringBuilder shown = new StringBuilder();
        for (final String route : new TreeSet<>(server.server().access().keySet()))
        {
            if (!route.contains("generation") && !route.contains("abort"))
            {
                for (final String key : new String[] {WRONG, KEY, ADMIN})
                {
                    shown.append(ask(route, key, "{\"prompt\": \"a\", \"max_tokens\": 1, \"user\": \"u\"}"));
                }
            }
        }
        shown.append(server.server()).append(server.engine());
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path file : files.filter(Files::isRegularFile).toList())
            {
                shown.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        for (final String key : List.of(KEY, ADMIN, WRONG))
        {
            assertFalse(shown.indexOf(key) >= 0, "a key is shown");
        }
    }

    /** Whatever a client writes comes back short, escaped, and without control characters. */
    @Test
    void shouldBoundAndEscapeTextsOfClients() throws IOException
    {
        final String nasty = "\\u0007\\u001b[31m\\u2028<script>\\r\\nSet-Cookie: a=b" + "x".repeat(50_000);
        final List<String> answers = new ArrayList<>();
        for (final String field : List.of("model", "user", "cache_salt", "prompt", "stop", "temperature", "n", "seed"))
        {
            answers.add(ask("POST /v1/completions", KEY,
                "{\"max_tokens\": 1, " + (field.equals("prompt") ? "" : "\"prompt\": \"a\", ") + "\"" + field + "\": \"" +
                    (field.equals("prompt") ? "\\u0007\\u001b[31m" : nasty) + "\"}"));
        }
        answers.add(ask("POST /v1/completions", KEY, "{\"prompt\": \"a\", \"" + nasty + "\": 1}"));
        answers.add(ask("POST /abort_request", ADMIN, "{\"rid\": \"" + nasty + "\"}"));
        answers.add(ask("GET /%07%1b<script>" + "x".repeat(5_000), KEY, ""));
        answers.add(ask("GET /metrics", KEY, ""));
        for (final String answer : answers)
        {
            final String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
            assertTrue(body.length() < 2_000 || body.startsWith("# HELP"), answer);
            assertTrue(body.chars().allMatch(c -> c >= ' ' && c != 0x7f || c == '\n' || c == '\r'), body);
            assertFalse(answer.contains("\nSet-Cookie"), answer);
        }
        assertFalse(answers.get(answers.size() - 1).contains("script"), "a client's text is in the metrics");
    }

    @Test
    void shouldBoundWhatARequestAsksFor() throws IOException
    {
        for (final String field : List.of("\"n\": 1000000000", "\"n\": 0", "\"n\": -1", "\"max_tokens\": 2147483648",
            "\"max_tokens\": -1", "\"max_tokens\": 5000", "\"min_tokens\": -1", "\"stop\": [" + "\"a\",".repeat(99) +
            "\"a\"]", "\"stop\": \"" + "a".repeat(100_000) + "\"", "\"stop\": \"\"",
            "\"stop_token_ids\": [" + "1,".repeat(10_000) + "1]", "\"logprobs\": 1000", "\"priority\": 1e99",
            "\"cache_salt\": \"" + "a".repeat(100_000) + "\"", "\"temperature\": -1", "\"top_p\": 7", "\"top_k\": -9",
            "\"prompt\": [" + "[1],".repeat(20_000) + "[1]]", "\"prompt\": [99999999]", "\"prompt\": [-1]"))
        {
            final String answer = ask("POST /v1/completions", KEY,
                "{" + (field.startsWith("\"prompt") ? "" : "\"prompt\": \"a\", ") + field + "}");
            assertTrue(status(answer) == 400 || status(answer) == 429,
                field.substring(0, Math.min(60, field.length())) + " " + answer);
            assertTrue(answer.contains("{\"error\":{\"message\":"), answer);
        }
        assertEquals(0, server.engine().stats().requests().running());
    }

    /** The rest of a body that is too long is read, so that the refusal can be; up to a bound. */
    @Test
    void shouldTellThatABodyIsTooLongEvenIfItIsVeryLong() throws IOException
    {
        final byte[] block = new byte[BLOCK_BYTES];
        try (Socket socket = RawClient.open(server.uri("/")))
        {
            send(socket, block, 60L << 20);
            assertTrue(RawClient.rest(socket).startsWith("HTTP/1.1 413 "));
        }
        try (Socket socket = RawClient.open(server.uri("/")))
        {
            send(socket, block, 80L << 20);
            assertFalse(RawClient.rest(socket).startsWith("HTTP/1.1 200 "));
        }
        // The server has closed the connection.
        catch (final IOException e)
        {
            assertTrue(e instanceof SocketException, e.toString());
        }
    }

    private static void send(final Socket socket, final byte[] block, final long bytes) throws IOException
    {
        RawClient.send(socket, "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
            "Authorization: Bearer " + KEY + "\r\nContent-Length: " + bytes + "\r\n\r\n");
        for (long sent = 0; sent < bytes; sent += block.length)
        {
            socket.getOutputStream().write(block);
        }
        socket.getOutputStream().flush();
    }
}
