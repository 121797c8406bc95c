// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Clients that leave, stop, hurry or lie. Each test ends with a client that gets its answer. */
@Tag("threads")
class HostileClientTest
{
    private static final String LONG = "{'prompt': 'a', 'max_tokens': 4000";
    private static final String CLOSE = "Connection: close\r\n";

    private static void awaitRunning(final RunningServer server, final long wanted) throws InterruptedException
    {
        server.await(() -> server.engine().stats().requests().running() == wanted);
    }

    private static void leave(final Socket socket) throws IOException
    {
        socket.close();
    }

    private static void assertServes(final RunningServer server) throws Exception
    {
        final HttpResponse<String> answer = server.post("/v1/completions", "{'prompt': 'b', 'max_tokens': 2}");
        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals(0, server.engine().stats().requests().running());
    }

    @Test
    void shouldCancelWhatItsClientDoesNotWaitFor() throws Exception
    {
        try (RunningServer server = new RunningServer(1, config -> config))
        {
            for (final String more : List.of("}", ", 'stream': true}", ", 'n': 3}"))
            {
                try (Socket socket = RawClient.open(server.uri("/")))
                {
                    RawClient.send(socket, RawClient.post("/v1/completions", LONG + more));
                    awaitRunning(server, more.contains("'n'") ? 3 : 1);
                }
                awaitRunning(server, 0);
            }
            assertServes(server);
        }
    }

    /** A request that is sent ahead of the answer to the one before is the next one. */
    @Test
    void shouldAnswerRequestsThatAreSentAtOnce() throws Exception
    {
        try (RunningServer server = new RunningServer(20, config -> config);
            Socket socket = RawClient.open(server.uri("/")))
        {
            RawClient.send(socket, RawClient.post("/v1/completions", "{'prompt': 'a', 'max_tokens': 9}"));
            awaitRunning(server, 1);
            RawClient.send(socket, RawClient.post("/v1/completions", "{'prompt': 'a', 'max_tokens': 8}"));
            RawClient.send(socket, RawClient.post("/v1/completions", "{'prompt': 'a', 'max_tokens': 7}", CLOSE));
            final String answers = RawClient.rest(socket);
            assertEquals(3, answers.split("HTTP/1.1 200 OK", -1).length - 1, answers);
            assertTrue(answers.indexOf("\"completion_tokens\":9") < answers.indexOf("\"completion_tokens\":8") &&
                answers.indexOf("\"completion_tokens\":8") < answers.indexOf("\"completion_tokens\":7"), answers);
        }
    }

    @Test
    void shouldRefuseABodyThatIsTooLong() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.maxBodyBytes(1000)))
        {
            final HttpResponse<String> answer =
                server.post("/v1/completions", "{'prompt': '" + "a".repeat(5_000_000) + "'}");
            assertEquals(413, answer.statusCode());
            assertTrue(RunningServer.parse(answer).object("error").text("message").contains("above the 1000"));
            assertServes(server);
        }
    }

    @Test
    void shouldRefuseHeadersThatAreTooLong() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config))
        {
            final String answer = RawClient.ask(server.uri("/"),
                "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "a".repeat(40_000) + "\r\n\r\n");
            assertTrue(answer.startsWith("HTTP/1.1 431 "), answer);
            assertTrue(answer.contains("{\"error\":{"), answer);
            final String nonsense = RawClient.ask(server.uri("/"), "\u0000\u0001 nonsense\r\n\r\n");
            assertTrue(nonsense.startsWith("HTTP/1.1 400 ") && nonsense.contains("{\"error\":{"), nonsense);
            assertServes(server);
        }
    }

    @Test
    void shouldEndARequestThatDoesNotCome() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.requestMillis(300).idleMillis(2000));
            Socket headers = RawClient.open(server.uri("/")); Socket body = RawClient.open(server.uri("/"));
            Socket silent = RawClient.open(server.uri("/")))
        {
            RawClient.send(body, "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n");
            final List<Socket> open = new ArrayList<>(List.of(headers, body));
            while (!open.isEmpty())
            {
                for (final Socket socket : List.copyOf(open))
                {
                    try
                    {
                        RawClient.send(socket, "x");
                        if (socket.getInputStream().available() > 0)
                        {
                            open.remove(socket);
                        }
                    }
                    // The server has closed the connection.
                    catch (final IOException e)
                    {
                        open.remove(socket);
                    }
                }
                Thread.onSpinWait();
            }
            assertEquals("", RawClient.rest(silent), "an idle connection ends without a word");
            assertServes(server);
        }
    }

    @Test
    void shouldRefuseMoreThanItsRequests() throws Exception
    {
        try (RunningServer server = new RunningServer(1, config -> config.maxRequests(2));
            Socket socket = RawClient.open(server.uri("/")))
        {
            RawClient.send(socket, RawClient.post("/v1/completions", LONG + ", 'n': 2}"));
            awaitRunning(server, 2);
            final HttpResponse<String> answer = server.post("/v1/completions", "{'prompt': 'b', 'max_tokens': 2}");
            assertEquals(429, answer.statusCode());
            assertEquals("1", answer.headers().firstValue("Retry-After").orElse(""));
            assertEquals("rate_limit_error", RunningServer.parse(answer).object("error").text("type"));
            leave(socket);
            awaitRunning(server, 0);
            assertServes(server);
        }
    }

    @Test
    void shouldPassARefusalOfTheEngineOn() throws Exception
    {
        try (RunningServer server = new RunningServer(1, scheduler -> scheduler.ranks(1).maxRunning(1).maxQueued(1),
            config -> config); Socket socket = RawClient.open(server.uri("/"));
            Socket waiting = RawClient.open(server.uri("/")))
        {
            RawClient.send(socket, RawClient.post("/v1/completions", LONG + ", 'stream': true}"));
            awaitRunning(server, 1);
            RawClient.send(waiting, RawClient.post("/v1/completions", LONG + ", 'stream': true}"));
            server.await(() -> server.engine().stats().requests().waiting() > 0);
            final HttpResponse<String> answer = server.post("/v1/completions", "{'prompt': 'b', 'stream': true}");
            assertEquals(429, answer.statusCode(), answer.body());
            assertTrue(answer.headers().firstValue("Retry-After").isPresent());
            leave(waiting);
            leave(socket);
            awaitRunning(server, 0);
            assertServes(server);
        }
    }

    /** The stream has more bytes than sockets hold. */
    @Test
    void shouldLeaveAClientThatDoesNotRead() throws Exception
    {
        try (RunningServer server = new RunningServer(100, config -> config.maxUnsentBytes(50_000));
            Socket socket = new Socket())
        {
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress("127.0.0.1", server.uri("/").getPort()));
            RawClient.send(socket, RawClient.post("/v1/completions",
                LONG + ", 'n': 20, 'stream': true, 'logprobs': 0, 'return_token_ids': true}"));
            awaitRunning(server, 20);
            awaitRunning(server, 0);
            assertServes(server);
        }
    }

    /** The routed experts of a long prompt come in one event, and the end of the stream comes behind it. */
    @Test
    void shouldSendAnEventThatIsLargerThanWhatMayWait() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.maxUnsentBytes(2000).routedExperts(true, true)))
        {
            final String answer = server.post("/v1/completions", "{'prompt': '" + "word ".repeat(300) +
                "', 'max_tokens': 4, 'stream': true, 'stream_options': {'include_usage': true}}").body();
            assertTrue(answer.contains("\"routed_experts\":\""), answer);
            assertTrue(answer.endsWith("data: [DONE]\n\n"), answer);
        }
    }

    @Test
    void shouldSendAnAnswerOfManyWritesWhole() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.routedExperts(true, false)))
        {
            final HttpResponse<String> answer = server.post("/generate", "{'input_ids': [" + "7,".repeat(2999) +
                "7], 'sampling_params': {'max_new_tokens': 1}, 'return_routed_experts': true}");
            assertEquals(200, answer.statusCode(), answer.body());
            final byte[] rows = Base64.getDecoder().decode(
                RunningServer.parse(answer).object("meta_info").text("routed_experts"));
            final int layerIds = RunningServer.SHAPE.topK() * Integer.BYTES;
            assertEquals(3000 * RunningServer.HIDDEN_LAYERS * layerIds, rows.length);
            for (int id = 0; id < rows.length; id += Integer.BYTES)
            {
                assertTrue(rows[id] >= 0 && rows[id] < RunningServer.SHAPE.experts(), "id " + rows[id] + " at " + id);
                assertEquals(0, rows[id + 1] | rows[id + 2] | rows[id + 3], "at " + id);
            }
        }
    }

    @Test
    void shouldRefuseJsonThatIsDeepOrHasEndlessNumbers() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config))
        {
            assertEquals(400, server.post("/v1/completions", "{'prompt': " + "[".repeat(100_000)).statusCode());
            assertEquals(400, server.post("/v1/completions", "{'prompt': 'a', 'seed': " + "9".repeat(100_000) + "}")
                .statusCode());
            assertEquals(400, server.post("/v1/completions", "{'" + "x".repeat(100_000) + "': 1}").statusCode());
            assertEquals(400, server.post("/v1/completions", "{'prompt': 'a', 'max_tokens': 1e400}").statusCode());
            assertServes(server);
        }
    }

    /** A header of a client comes back only if it can do no harm. */
    @Test
    void shouldNotRepeatAnIdThatIsNotPrintable() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config))
        {
            final String answer = RawClient.ask(server.uri("/"), RawClient.post("/v1/completions",
                "{'prompt': 'a', 'max_tokens': 1}", CLOSE, "X-Request-Id: bad \u00ff<script>\r\n"));
            assertTrue(answer.startsWith("HTTP/1.1 200 ") && !answer.contains("script"), answer);
        }
    }
}
