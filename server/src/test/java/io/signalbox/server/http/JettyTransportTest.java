// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The transport by itself. */
@Tag("threads")
class JettyTransportTest
{
    private static final int OK = 200;
    private static final int LARGE = 8 << 20;
    private static final byte[] WORD = "answer".getBytes(StandardCharsets.UTF_8);

    private static CompletableFuture<HttpResponse<String>> get(final JettyTransport transport)
    {
        final URI uri = URI.create("http://127.0.0.1:" + transport.address().getPort() + "/");
        return HttpClient.newHttpClient().sendAsync(
            HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void shouldGiveAnAnswerThatComesAtTheEnd() throws Exception
    {
        final CompletableFuture<HttpReply> asked = new CompletableFuture<>();
        final JettyTransport transport = JettyTransport.listen(new TransportBounds("127.0.0.1", 0, 1 << 20, 1 << 13, 30_000,
            30_000, 1 << 20, 100, null), (request, reply) -> asked.complete(reply), (status, message) -> WORD);
        final CompletableFuture<HttpResponse<String>> answer = get(transport);
        final HttpReply reply = asked.get();
        final Thread end = new Thread(transport::close);
        end.start();
        // The end waits now, for the only request; an end that does not wait is over.
        while (end.getState() != Thread.State.TIMED_WAITING && end.isAlive())
        {
            Thread.onSpinWait();
        }
        reply.send(OK, "text/plain", WORD);
        end.join();

        assertEquals("answer", answer.get().body());
    }

    /** An event that is larger than what may wait is sent; a second one does not wait behind it. */
    @Test
    void shouldEndAStreamWhoseClientLeavesTwoLargeEventsWaiting() throws Exception
    {
        final CompletableFuture<HttpReply> asked = new CompletableFuture<>();
        final JettyTransport transport = JettyTransport.listen(new TransportBounds("127.0.0.1", 0, 1 << 20, 1 << 13, 30_000,
            30_000, 1000, 100, null), (request, reply) -> asked.complete(reply), (status, message) -> WORD);
        try (Socket client = new Socket())
        {
            client.setReceiveBufferSize(4096);
            client.connect(new InetSocketAddress("127.0.0.1", transport.address().getPort()));
            client.getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            final HttpReply reply = asked.get();
            final AtomicBoolean left = new AtomicBoolean();
            reply.onAbort(() -> left.set(true));
            final EventStream stream = reply.stream();
            stream.send(new byte[LARGE]);
            stream.send(new byte[LARGE]);
            stream.send(new byte[500]);
            assertFalse(left.get(), "one is under way, and one waits");
            stream.send(new byte[LARGE]);
            assertTrue(left.get(), "a second one would wait");
        }
        finally
        {
            transport.close();
        }
    }
}
