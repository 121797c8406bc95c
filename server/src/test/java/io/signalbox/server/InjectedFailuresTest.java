// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.server.text.SimulatedText;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Errors on purpose, for tests of clients. */
@Tag("threads")
class InjectedFailuresTest
{
    private static final String ONE = "{'prompt': 'a', 'max_tokens': 1}";
    private static final int REQUESTS = 60;

    private static ServerConfig failing(final ServerConfig config, final long seed, final int rate)
    {
        return config.withoutKeys(true).simulated(seed).set(ServerConfig.FAILURE_RATE, rate);
    }

    /** The codes or types of errors, and "" for each answer. */
    private static List<String> errors(final long seed, final int rate) throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> failing(config, seed, rate)))
        {
            final List<String> errors = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++)
            {
                final HttpResponse<String> answer = server.post("/v1/completions", ONE);
                final RequestFields error = RunningServer.parse(answer).object("error");
                errors.add(answer.statusCode() == 200 ? "" : answer.statusCode() + " " + error.text("code"));
                assertEquals(answer.statusCode() == 429, answer.headers().firstValue("Retry-After").isPresent());
            }
            assertEquals(200, server.get("/v1/models").statusCode(), "only generations fail");
            return errors;
        }
    }

    @Test
    void shouldFailTheRequestsThatTheSeedChooses() throws Exception
    {
        final List<String> half = errors(7, 50);
        assertEquals(half, errors(7, 50));
        assertTrue(!half.equals(errors(8, 50)));
        final long failed = half.stream().filter(error -> !error.isEmpty()).count();
        assertTrue(failed > REQUESTS / 4 && failed < REQUESTS * 3 / 4, failed + " of " + REQUESTS);
        assertEquals(List.of("400 context_length_exceeded", "400 null", "401 invalid_api_key", "404 model_not_found",
            "429 rate_limit_exceeded", "500 null"), List.copyOf(new TreeSet<>(errors(7, 100))));
        assertEquals(List.of(""), List.copyOf(new TreeSet<>(errors(7, 0))));
    }

    @Test
    void shouldChangeItsSettingsAllAtOnce() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> failing(config, 1, 0)))
        {
            final String before = server.get("/admin/config").body();
            assertTrue(before.startsWith("{\"failure-injection-rate\":0,\"failure-types\":[\"rate_limit\","), before);
            for (final String wrong : List.of("{'failure-injection-rate': 101}", "{'failure-injection-rate': 'a'}",
                "{'failure-injection-rate': 50, 'failure-types': ['none']}",
                "{'failure-injection-rate': 50, 'failure-types': []}", "{'failure-injection-rate': 50, 'seed': 1}"))
            {
                assertEquals(400, server.post("/admin/config", wrong).statusCode(), wrong);
                assertEquals(before, server.get("/admin/config").body(), wrong);
            }
            assertEquals(200, server.post("/admin/config", "{'failure-types': ['server_error']}").statusCode());
            assertEquals("{\"failure-injection-rate\":100,\"failure-types\":[\"server_error\"]}",
                server.post("/admin/config", "{'failure-injection-rate': 100}").body());
            for (final String path :
                List.of("/v1/completions", "/v1/chat/completions", "/inference/v1/generate", "/generate"))
            {
                assertEquals(500, server.post(path, ONE).statusCode(), path);
            }
        }
    }

    @Test
    void shouldReturnTheErrorThatAHeaderAsksFor() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> failing(config, 1, 0));
            RunningServer model = new RunningServer(1000, config -> config.withoutKeys(true)))
        {
            for (final String status : List.of("429", "500", "404", "599"))
            {
                assertTrue(ask(server, status).startsWith("HTTP/1.1 " + status + " "));
            }
            for (final String wrong : List.of("200", "600", "0500", "a", "-1", ""))
            {
                assertTrue(ask(server, wrong).startsWith("HTTP/1.1 400 "), wrong);
            }
            final String answer = ask(model, "500");
            assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
            assertTrue(answer.contains("X-Return-Error is for simulated ranks"), answer);
            assertEquals(400, model.get("/admin/config").statusCode());
            assertEquals(400, model.post("/admin/config", "{}").statusCode());
        }
    }

    private static String ask(final RunningServer server, final String status) throws Exception
    {
        return RawClient.ask(server.uri("/"), RawClient.post("/v1/completions", ONE, "Connection: close\r\n",
            "X-Return-Error: " + status + "\r\n"));
    }

    @Test
    void shouldStartForAsLongAsItIsTold() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config ->
            config.simulated(1).set(ServerConfig.STARTUP_MILLIS, 3_600_000L));
            RunningServer started = new RunningServer(1000, config -> config.simulated(1)))
        {
            assertEquals(503, server.get("/health/ready").statusCode());
            assertEquals(200, server.get("/health").statusCode());
            assertEquals(200, started.get("/health/ready").statusCode());
        }
    }

    @Test
    void shouldRefuseToFailForAModel()
    {
        for (final ServerConfig config : List.of(config().set(ServerConfig.FAILURE_RATE, 1),
            config().set(ServerConfig.STARTUP_MILLIS, 1L)))
        {
            final String message = assertThrows(ConfigException.class, config::check).getMessage();
            assertTrue(message.contains("is for simulated ranks"), message);
        }
    }

    private static ServerConfig config()
    {
        return new ServerConfig(new ServedModel(List.of("model"), 16, 1, new SimulatedText()));
    }
}
