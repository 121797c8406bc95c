// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code /signalbox/requests/ID}. */
@Tag("threads")
class RequestRoutesTest
{
    private static final String REQUESTS = "/signalbox/requests/";
    private static final String PROMPT = "{'prompt': [" + "7,".repeat(40) + "8], 'max_tokens': 5, 'ignore_eos': true}";

    @TempDir
    private Path directory;

    private static String id(final HttpResponse<String> answer)
    {
        assertEquals(200, answer.statusCode(), answer.body());
        return answer.headers().firstValue("x-signalbox-request-id").orElseThrow();
    }

    /** The only life of a request. */
    private static RequestFields life(final RunningServer server, final String name) throws Exception
    {
        final HttpResponse<String> answer = server.get(REQUESTS + name);
        assertEquals(200, answer.statusCode(), answer.body());
        final List<RequestFields> lives = RunningServer.parse(answer).objects("lives");
        assertEquals(1, lives.size());
        return lives.get(0);
    }

    /** Two answers about a request that has ended: only the moment up to which the events were read may be later. */
    private static void assertSame(final RequestFields life, final RequestFields later)
    {
        final Map<String, Object> first = new TreeMap<>(life.values());
        final Map<String, Object> second = new TreeMap<>(later.values());
        final double before = ((Number)first.remove("readUntilMs")).doubleValue();
        final double after = ((Number)second.remove("readUntilMs")).doubleValue();
        assertEquals(first, second);
        assertTrue(before <= after, before + " and then " + after);
    }

    private static RequestFields event(final RequestFields life, final String name)
    {
        return life.objects("events").stream().filter(event -> name.equals(event.text("event"))).findFirst().orElseThrow();
    }

    @Test
    void shouldTellTheLifeOfARequestFromMemory() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.withoutKeys(true)))
        {
            final String first = id(server.post("/v1/completions", PROMPT, "X-Request-Id", "call-1", "X-Session-ID", "a"));
            final String second = id(server.post("/v1/completions", PROMPT, "X-Session-ID", "a"));
            final String third =
                id(server.post("/v1/completions", PROMPT, "X-Session-ID", "b", "X-data-parallel-rank", "1"));
            final RequestFields life = life(server, first);
            assertSame(life, life(server, "call-1"));
            assertEquals("call-1", life.text("clientRequestId"));
            assertNull(life(server, second).text("clientRequestId"));
            assertEquals(2, event(life, "placed").objects("candidates").size());
            assertEquals(45L, event(life, "ended").get("capturedRows"));
            assertEquals(List.of("allocated", "allocated", "allocated"),
                life.objects("blocks").stream().map(block -> block.text("origin")).toList());
            assertEquals("matched", life(server, second).objects("blocks").get(1).text("origin"));
            assertEquals(32L, event(life(server, second), "ended").get("inheritedRows"));
            final Object conversation = life.object("submit").get("conversation");
            assertTrue((Long)conversation >= 0);
            assertEquals(conversation, life(server, second).object("submit").get("conversation"));
            assertNotEquals(conversation, life(server, third).object("submit").get("conversation"));
            assertEquals(1L, event(life(server, third), "placed").get("rank"));
            assertEquals(404, server.get(REQUESTS + "99").statusCode());
            assertEquals(404, server.get(REQUESTS + "call-2").statusCode());
        }
    }

    /** The memory of the server is behind the answer, and the note of the client's id behind its request. */
    @Test
    void shouldKnowARequestAsSoonAsItIsAnswered() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.withoutKeys(true)))
        {
            server.remembersLate(5);
            for (int i = 0; i < 3; i++)
            {
                final String id = id(server.post("/v1/completions", PROMPT, "X-Request-Id", "call-" + i));
                final RequestFields life = life(server, "call-" + i);
                assertEquals("length", event(life, "ended").text("reason"));
                assertEquals("call-" + i, life.text("clientRequestId"));
                assertSame(life, life(server, id));
            }
        }
    }

    /** Some clients have paths, addresses and shares as ids. */
    @Test
    void shouldFindEachIdThatItTakes() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.withoutKeys(true)))
        {
            for (final String given : List.of("jobs/7/try-1", "a/../b", "50%", "%2F", "a?b#c;d", "//", "12/3"))
            {
                final String id = id(server.post("/v1/completions", PROMPT, "X-Request-Id", given));
                final RequestFields life = life(server, URLEncoder.encode(given, StandardCharsets.UTF_8));
                assertEquals(given, life.text("clientRequestId"));
                assertSame(life, life(server, id));
            }
            assertEquals("jobs/7/try-1", life(server, "jobs/7/try-1").text("clientRequestId"), "slashes as they are");
            assertEquals(404, server.get(REQUESTS).statusCode());
            assertEquals(404, server.get(REQUESTS + "jobs/7").statusCode());
            assertEquals(404, server.get("/signalbox/requests%2Fjobs").statusCode());
            assertEquals(404, server.get("/signalbox/other/1").statusCode());
        }
    }

    @Test
    void shouldTellItFromTheJournalIfItIsForgotten() throws Exception
    {
        final Path journal = directory.resolve("journal");
        try (RunningServer server = new RunningServer(1000, builder -> { },
            config -> config.withoutKeys(true).requests(null, journal),
            new DirectoryJournal(journal, JournalConfig.of(Durability.PROCESS))))
        {
            final String id = id(server.post("/v1/completions", PROMPT, "X-Request-Id", "call-1"));
            final RequestFields life = life(server, id);
            assertEquals("call-1", life.text("clientRequestId"));
            assertEquals("length", event(life, "ended").text("reason"));
            assertEquals(3, life.objects("blocks").size());
            assertEquals(404, server.get(REQUESTS + "99").statusCode());
        }
    }

    @Test
    void shouldTellItToAdminsOnly() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config))
        {
            assertEquals(403, server.get(REQUESTS + id(server.post("/v1/completions", PROMPT))).statusCode());
        }
    }
}
