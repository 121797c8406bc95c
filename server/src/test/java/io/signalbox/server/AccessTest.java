// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.function.UnaryOperator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Who may use a server. */
@Tag("threads")
class AccessTest
{
    private static final String KEY = "0123456789abcdef-client";
    private static final String ADMIN = "0123456789abcdef-admin";
    private static final String MODELS = "GET /v1/models HTTP/1.1\r\nConnection: close\r\nHost: ";

    private static RunningServer open;

    @BeforeAll
    static void start()
    {
        open = new RunningServer(1000, config -> config);
    }

    @AfterAll
    static void stop()
    {
        open.close();
    }

    private static String status(final RunningServer server, final String request) throws IOException
    {
        return RawClient.ask(server.uri("/"), request + "\r\n\r\n").lines().findFirst().orElse("").split(" ")[1];
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "localhost:8000 | 200", "127.0.0.1 | 200", "[::1]:1 | 200", "LOCALHOST | 200", "example.com | 403",
        "127.0.0.1.example.com | 403", "localhost.example.com:80 | 403", "user@localhost | 400",
        "localhost~Origin: http://localhost:3000 | 200", "localhost~Origin: https://example.com | 403",
        "localhost~Origin: null | 403", "localhost~Origin: http://localhost.example.com | 403",
        "localhost~Sec-Fetch-Site: cross-site | 403", "localhost~Sec-Fetch-Site: same-origin | 200"})
    void shouldRefusePagesOfOtherSites(final String host, final String status) throws Exception
    {
        assertEquals(status, status(open, MODELS + host.replace("~", "\r\n")));
        assertFalse(RawClient.ask(open.uri("/"), MODELS + "localhost\r\n\r\n").contains("Access-Control"));
    }

    @Test
    void shouldWantTheKeyThatItHas() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config ->
            config.apiKeys(AccessKeys.of("test", "# ours\n" + KEY + "\n")).adminKeys(AccessKeys.of("test", ADMIN))))
        {
            final String models = MODELS + "localhost";
            assertEquals("401", status(server, models));
            assertEquals("401", status(server, models + "\r\nAuthorization: Bearer " + KEY + "x"));
            assertEquals("401", status(server, models + "\r\nAuthorization: Basic " + KEY));
            assertEquals("401", status(server, models + "\r\nAuthorization: Bearer "));
            assertEquals("200", status(server, models + "\r\nAuthorization: Bearer " + KEY));
            assertEquals("200", status(server, models + "\r\nAuthorization: Bearer " + ADMIN));
            assertEquals("200", status(server, models.replace("/v1/models", "/health")));
            assertEquals("200", status(server, models.replace("/v1/models", "/version")));
        }
    }

    @Test
    void shouldNotListenBeyondThisMachineWithoutAKey()
    {
        assertTrue(refusal(config -> config.host("0.0.0.0")).contains("--api-key-file"));
        assertTrue(refusal(config -> config.withoutKeys(true).apiKeys(AccessKeys.of("test", KEY))).contains("exclude"));
        new RunningServer(1000, config -> config.host("0.0.0.0").withoutKeys(true)).close();
        new RunningServer(1000, config -> config.host("0.0.0.0").apiKeys(AccessKeys.of("test", KEY))).close();
    }

    private static String refusal(final UnaryOperator<ServerConfig> change)
    {
        return assertThrows(ConfigException.class, () -> new RunningServer(1000, change)).getMessage();
    }

    @Test
    void shouldTellNoKeyInARefusal()
    {
        final String shortKey = "tooshort";
        final String message =
            assertThrows(ConfigException.class, () -> AccessKeys.of("the file k", KEY + "\n" + shortKey)).getMessage();
        assertTrue(message.contains("line 2 of the file k"), message);
        assertFalse(message.contains(shortKey) || message.contains(KEY), message);
        assertThrows(ConfigException.class, () -> AccessKeys.of("the file k", "# none\n\n"));
        assertFalse(AccessKeys.of("the file k", KEY).toString().contains(KEY));
    }
}
