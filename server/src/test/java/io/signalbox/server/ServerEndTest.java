// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The end of a server. */
@Tag("threads")
class ServerEndTest
{
    private static final String SLOW = "{'prompt': 'a', 'max_tokens': 300, 'ignore_eos': true";

    /** @param underWay requests of the server with this one. */
    private static CompletableFuture<HttpResponse<String>> begun(
        final RunningServer server, final String json, final int underWay) throws InterruptedException
    {
        final CompletableFuture<HttpResponse<String>> answer = CompletableFuture.supplyAsync(() ->
        {
            try
            {
                return server.post("/v1/completions", json);
            }
            catch (final Exception e)
            {
                throw new IllegalStateException(e);
            }
        });
        server.await(() -> server.engine().stats().requests().running() >= underWay);
        return answer;
    }

    @Test
    void shouldFinishWhatIsUnderWay() throws Exception
    {
        final RunningServer server = new RunningServer(1000, config -> config);
        final CompletableFuture<HttpResponse<String>> answer = begun(server, SLOW + "}", 1);
        server.close();

        assertEquals(200, answer.get().statusCode());
        assertEquals(300L, RunningServer.parse(answer.get()).object("usage").get("completion_tokens"));
    }

    @Test
    void shouldEndWithAnErrorWhatDoesNotFinishInTime() throws Exception
    {
        final RunningServer server = new RunningServer(1, config -> config.drainMillis(1));
        final CompletableFuture<HttpResponse<String>> whole = begun(server, SLOW + "}", 1);
        final CompletableFuture<HttpResponse<String>> stream = begun(server, SLOW + ", 'stream': true}", 2);
        server.close();

        assertEquals(503, whole.get().statusCode());
        final String events = stream.get().body();
        assertTrue(stream.get().statusCode() == 503 || events.contains("the time for requests") &&
            events.endsWith("data: [DONE]\n\n"), events);
    }
}
