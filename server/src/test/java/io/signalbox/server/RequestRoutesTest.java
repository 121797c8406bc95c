// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.inspect.RecentRequests;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.PacedBackend;
import io.signalbox.sim.SimulationConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Filter;
import java.util.logging.Logger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code /signalbox/requests/ID}. */
@Tag("threads")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
            config ->
            {
                // The engine does not have the listener, so the memory stays empty.
                config.requests(SchedulerConfig.builder().build(), journal);
                return config.withoutKeys(true);
            },
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

    /** Its thread may be the scheduler's, so the engine may stand still too. */
    @Test
    void shouldTellWhatThereIsWhileAListenerStalls() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.withoutKeys(true)))
        {
            final String id = id(server.post("/v1/completions", PROMPT, "X-Request-Id", "call-1"));
            final RequestFields life = life(server, "call-1");
            server.remembersLate(Long.MAX_VALUE);
            final CompletableFuture<HttpResponse<String>> stalled = server.postAsync("/v1/completions", PROMPT);
            server.await(() -> !server.engine().awaitDelivered(Duration.ZERO));
            assertSame(life, life(server, id));
            assertSame(life, life(server, "call-1"));
            final HttpResponse<String> absent = server.get(REQUESTS + "99");
            assertEquals(503, absent.statusCode());
            assertEquals("1", absent.headers().firstValue("Retry-After").orElseThrow());
            server.remembersInTime();
            assertEquals(3, life(server, id(stalled.join())).objects("blocks").size());
            assertEquals(404, server.get(REQUESTS + "99").statusCode());
        }
    }

    /** A client that numbers its requests asks for its own, also if the memory does not have it yet. */
    @Test
    void shouldWaitForARequestWhoseIdIsTheNumberOfAnother() throws Exception
    {
        final SchedulerConfig scheduler = SchedulerConfig.builder().ranks(1).kvBlocks(64).build();
        final RecentRequests recent = new RecentRequests(scheduler);
        final Queue<DirectBuffer> groups = new ConcurrentLinkedQueue<>();
        final EngineConfig config = new EngineConfig().scheduler(scheduler)
            .backend(new PacedBackend(SimulationConfig.DEFAULT, scheduler, 1000, 0))
            .listener((group, offset, length) ->
            {
                final byte[] copy = new byte[length];
                group.getBytes(offset, copy);
                groups.add(new UnsafeBuffer(copy));
            });
        try (SignalboxEngine engine = SignalboxEngine.launch(config);
            RequestRoutes routes = new RequestRoutes(atMost -> remember(engine, groups, recent), recent, null))
        {
            final CompletionRequest request = CompletionRequest.prompt(new int[1]).maxNewTokens(1);
            final CompletionHandle first = engine.submit(request.clientId("100"));
            first.await();
            assertTrue(remember(engine, groups, recent));
            final String name = Long.toString(first.requestId());
            engine.submit(request.clientId(name)).await();
            final String answer = ask(routes, name).answer().join();
            assertTrue(answer.contains("\"clientRequestId\" : \"" + name + "\""), answer);
        }
    }

    /** Lets the memory catch up with the engine. */
    private static boolean remember(
        final SignalboxEngine engine, final Queue<DirectBuffer> groups, final RecentRequests recent)
    {
        final boolean delivered = engine.awaitDelivered(Duration.ofSeconds(60));
        for (DirectBuffer group = groups.poll(); group != null; group = groups.poll())
        {
            recent.onGroup(group, 0, group.capacity());
        }
        return delivered;
    }

    @Test
    void shouldBoundTheQuestionsThatWaitAndTheirTime() throws Exception
    {
        final CountDownLatch passed = new CountDownLatch(1);
        final Queue<Duration> waits = new ConcurrentLinkedQueue<>();
        try (RequestRoutes routes = new RequestRoutes(atMost ->
        {
            waits.add(atMost);
            return isOpen(passed);
        }, null, null))
        {
            final List<KeptAnswer> answers = new ArrayList<>();
            for (int i = 0; i < RequestRoutes.THREADS + RequestRoutes.MOST_WAITING; i++)
            {
                answers.add(ask(routes, "call-" + i));
            }
            final ApiError refused = assertThrows(ApiError.class, () -> ask(routes, "call"));
            assertEquals(429, refused.status());
            assertEquals(Duration.ofSeconds(1), refused.retryAfter());
            final Duration held = Duration.ofMillis(20);
            assertFalse(passed.await(held.toMillis(), TimeUnit.MILLISECONDS));
            passed.countDown();
            for (final KeptAnswer answer : answers)
            {
                assertLinesMatch(
                    List.of("404 .*no recent request of a client has this id.*"), List.of(answer.answer().join()));
            }
            assertEquals(answers.size(), waits.size());
            waits.stream().skip(RequestRoutes.THREADS).forEach(wait ->
                assertTrue(wait.compareTo(RequestRoutes.CATCH_UP.minus(held)) <= 0, wait + " after it was queued"));
        }
    }

    @Test
    void shouldLogWhatFailsInsideAndNotTellIt() throws Exception
    {
        final Logger logger = Logger.getLogger("io.signalbox.server");
        final CompletableFuture<Throwable> logged = new CompletableFuture<>();
        final RuntimeException planted = new UnsupportedOperationException("planted");
        final Filter former = logger.getFilter();
        logger.setFilter(entry -> !logged.complete(entry.getThrown()));
        try (RequestRoutes routes = new RequestRoutes(atMost ->
        {
            throw planted;
        }, null, null))
        {
            final String answer = ask(routes, "call-1").answer().join();
            assertTrue(answer.startsWith("500 "), answer);
            assertTrue(answer.contains("the server failed to answer; its operator can find out why"), answer);
            assertFalse(answer.contains("planted"), answer);
            assertEquals(planted, logged.get(60, TimeUnit.SECONDS));
        }
        finally
        {
            logger.setFilter(former);
        }
    }

    private static KeptAnswer ask(final RequestRoutes routes, final String name)
    {
        final KeptAnswer answer = new KeptAnswer(new CompletableFuture<>());
        routes.request(new DirectRequest("GET", REQUESTS + name, ""), answer);
        return answer;
    }

    private static boolean isOpen(final CountDownLatch latch)
    {
        try
        {
            latch.await();
            return true;
        }
        catch (final InterruptedException e)
        {
            return false;
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
