// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Ordinary and hostile clients of a server that may end and come back at another address. */
final class SoakTraffic
{
    private static final int ORDINARY = 3;
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int MILLIS_BETWEEN = 20;
    private static final int SAMPLES = 100;
    private static final Pattern ID = Pattern.compile("x-signalbox-request-id: (\\d+)", Pattern.CASE_INSENSITIVE);

    private final Set<Long> answers = ConcurrentHashMap.newKeySet();
    private final AtomicLong refusals = new AtomicLong();
    private final AtomicLong hostile = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private volatile URI address;
    private volatile boolean ended;

    /** What one client does with its connection. */
    private interface Act
    {
        void on(Socket socket) throws IOException, InterruptedException;
    }

    void begin(final String server)
    {
        moveTo(server);
        for (int i = 0; i < ORDINARY; i++)
        {
            start(this::ask);
        }
        start(this::leave);
        start(this::readNothing);
        start(this::flood);
    }

    /** The server that ended is there again. */
    void moveTo(final String server)
    {
        address = URI.create(server);
    }

    private void start(final Act act)
    {
        final Thread thread = new Thread(() -> repeat(act), "soak");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void repeat(final Act act)
    {
        while (!ended)
        {
            try (Socket socket = new Socket(address.getHost(), address.getPort()))
            {
                socket.setSoTimeout(PATIENCE_MILLIS);
                act.on(socket);
                new CountDownLatch(1).await(MILLIS_BETWEEN, TimeUnit.MILLISECONDS);
            }
            // The server was killed, or ends the connection, as it should.
            catch (final IOException e)
            {
                Thread.onSpinWait();
            }
            catch (final InterruptedException e)
            {
                return;
            }
        }
    }

    private void post(final Socket socket, final String more) throws IOException
    {
        final String body = "{\"prompt\": \"question " + numbers.incrementAndGet() + "\", " + more + "}";
        send(socket, "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
            body.length() + "\r\n\r\n" + body);
    }

    /** Returns when so many requests have ended, and the server therefore remembers as many as it ever does. */
    void end(final int requests) throws IOException
    {
        for (int ended = 0; ended < requests; ended += SAMPLES)
        {
            try (Socket socket = new Socket(address.getHost(), address.getPort()))
            {
                post(socket, "\"max_tokens\": 1, \"n\": " + SAMPLES);
                final String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (!answer.startsWith("HTTP/1.1 200 "))
                {
                    throw new IOException(answer);
                }
            }
        }
    }

    private static void send(final Socket socket, final String text) throws IOException
    {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    private void ask(final Socket socket) throws IOException
    {
        post(socket, "\"max_tokens\": 8");
        final String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        final Matcher id = ID.matcher(answer);
        if (answer.startsWith("HTTP/1.1 200 ") && answer.endsWith("}") && id.find())
        {
            answers.add(Long.parseLong(id.group(1)));
        }
        else if (answer.startsWith("HTTP/1.1 503 ") || answer.startsWith("HTTP/1.1 429 "))
        {
            refusals.incrementAndGet();
        }
    }

    private void leave(final Socket socket) throws IOException
    {
        post(socket, "\"max_tokens\": 900, \"stream\": true, \"ignore_eos\": true");
        final InputStream in = socket.getInputStream();
        in.readNBytes((int)(numbers.get() % 2000));
        hostile.incrementAndGet();
    }

    private void readNothing(final Socket socket) throws IOException, InterruptedException
    {
        post(socket, "\"max_tokens\": 900, \"n\": 4, \"stream\": true, \"logprobs\": 0, \"ignore_eos\": true");
        new CountDownLatch(1).await(1, TimeUnit.SECONDS);
        hostile.incrementAndGet();
    }

    private void flood(final Socket socket) throws IOException
    {
        send(socket, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Flood: " + "a".repeat(20_000));
        socket.getInputStream().readAllBytes();
        hostile.incrementAndGet();
    }

    /** Ids of the requests whose whole answer a client has. */
    Set<Long> answers()
    {
        return answers;
    }

    long refusals()
    {
        return refusals.get();
    }

    /** Returns when the last client has its answer. */
    void end() throws InterruptedException
    {
        ended = true;
        for (final Thread thread : threads)
        {
            thread.join();
        }
    }

    @Override
    public String toString()
    {
        return answers.size() + " answers, " + refusals + " refusals, " + hostile + " hostile connections";
    }
}
