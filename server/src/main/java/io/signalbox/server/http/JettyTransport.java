// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import io.signalbox.ConfigException;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/** HTTP/1.1 by Jetty's core. A body is read without a thread that waits for it. */
public final class JettyTransport implements HttpTransport
{
    /** Connections that the kernel keeps until they are accepted; the next one's client tries again after a second. */
    private static final int ACCEPT_QUEUE = 4096;
    private static final int MAX_THREADS = 64;
    /** Otherwise the kernel takes megabytes for a client that does not read. */
    private static final int SEND_BUFFER_BYTES = 64 << 10;
    /** A longer body is cut with its connection; a shorter one is read to its end, so that the client sees the refusal. */
    private static final long MOST_DROPPED_BYTES = 64L << 20;
    /** At the end, for answers that are about to be given and bytes that are on their way. */
    private static final long MOST_END_MILLIS = 1000;
    /** A client's id in a path may have slashes and percent signs, which stay encoded; no route has one. */
    private static final UriCompliance ENCODED_IDS = UriCompliance.DEFAULT.with("ENCODED_IDS",
        UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR, UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING);
    private static final int TOO_LARGE = 413;
    private static final int TOO_LATE = 408;

    private final TransportBounds config;
    private final HttpHandler handler;
    private final BiFunction<Integer, String, byte[]> errors;
    private final Server server;
    private final ServerConnector connector;
    private final AtomicInteger unanswered = new AtomicInteger();

    private JettyTransport(
        final TransportBounds config, final HttpHandler handler, final BiFunction<Integer, String, byte[]> errors)
    {
        this.config = config;
        this.handler = handler;
        this.errors = errors;
        final QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS);
        threads.setName("signalbox-http");
        threads.setDaemon(true);
        server = new Server(threads);
        final HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(config.maxHeaderBytes());
        http.setUriCompliance(ENCODED_IDS);
        connector = new ServerConnector(server, 1, 1, factories(config.tls(), http));
        connector.setHost(config.host());
        connector.setPort(config.port());
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        connector.setIdleTimeout(config.idleMillis());
        connector.setAcceptedSendBufferSize(SEND_BUFFER_BYTES);
        connector.setAcceptedTcpNoDelay(true);
        connector.addBean(new JettyPatience(connector, config.requestMillis()));
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(OpenFileRoom.connections(config.maxConnections()), connector));
        server.setErrorHandler(new JettyErrors(errors));
        server.setHandler(new Requests());
        server.setStopTimeout(0);
    }

    private static ConnectionFactory[] factories(final TlsFiles tls, final HttpConfiguration http)
    {
        final HttpConnectionFactory plain = new HttpConnectionFactory(http);
        if (tls == null)
        {
            return new ConnectionFactory[] {plain};
        }
        // Not a secret: it guards a key store that is only in memory.
        final String password = "in-memory";
        final SslContextFactory.Server ssl = new SslContextFactory.Server();
        ssl.setKeyStore(tls.keyStore(password.toCharArray()));
        ssl.setKeyStorePassword(password);
        ssl.setIncludeProtocols("TLSv1.2", "TLSv1.3");
        http.addCustomizer(new SecureRequestCustomizer(false));
        return new ConnectionFactory[] {new SslConnectionFactory(ssl, plain.getProtocol()), plain};
    }

    /**
     * Listens.
     *
     * @param errors makes the body of an error that the transport itself finds, of status and message.
     * @throws ConfigException if the address cannot be used.
     */
    public static JettyTransport listen(
        final TransportBounds config, final HttpHandler handler, final BiFunction<Integer, String, byte[]> errors)
    {
        final JettyTransport transport = new JettyTransport(config, handler, errors);
        try
        {
            transport.server.start();
            return transport;
        }
        // Jetty declares every exception.
        catch (final Exception e)
        {
            transport.close();
            final Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ConfigException("the server cannot listen on " + config.host() + ":" + config.port() + " (" +
                cause.getMessage() + "); give another port with --port, or 0 for any free one.");
        }
    }

    @Override
    public InetSocketAddress address()
    {
        return new InetSocketAddress(config.host(), connector.getLocalPort());
    }

    @Override
    public void stopAccepting()
    {
        connector.close();
    }

    @Override
    public void close()
    {
        stopAccepting();
        BoundedWait.until(() -> unanswered.get() == 0, MOST_END_MILLIS);
        try
        {
            server.stop();
        }
        // Jetty declares every exception; its threads are daemons.
        catch (final Exception e)
        {
            server.destroy();
        }
    }

    /** Reads the bodies. */
    private final class Requests extends Handler.Abstract
    {
        @Override
        public boolean handle(final Request request, final Response response, final Callback callback)
        {
            unanswered.incrementAndGet();
            final JettyReply reply = new JettyReply(request, response,
                Callback.from(callback, unanswered::decrementAndGet), config.maxUnsentBytes());
            new Body(request, reply).run();
            return true;
        }
    }

    /** The body of one request, as its parts come. */
    private final class Body implements Runnable
    {
        private final Request request;
        private final JettyReply reply;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final long startNanos = System.nanoTime();
        private long length;

        private Body(final Request request, final JettyReply reply)
        {
            this.request = request;
            this.reply = reply;
        }

        @Override
        public void run()
        {
            Content.Chunk chunk = request.read();
            while (chunk != null)
            {
                if (Content.Chunk.isFailure(chunk))
                {
                    reply.fail(chunk.getFailure());
                    return;
                }
                take(chunk);
                final boolean isLast = chunk.isLast();
                chunk.release();
                if (!isLast && System.nanoTime() - startNanos > TimeUnit.MILLISECONDS.toNanos(config.requestMillis()))
                {
                    reply.header("Connection", "close").send(TOO_LATE, HttpReply.JSON, errors.apply(TOO_LATE,
                        "the body of the request did not come within " + config.requestMillis() + " ms; send it faster"));
                    return;
                }
                if (length > MOST_DROPPED_BYTES)
                {
                    reply.fail(new IOException("the body of a request has more than " + MOST_DROPPED_BYTES + " bytes"));
                    return;
                }
                if (isLast)
                {
                    answer();
                    return;
                }
                chunk = request.read();
            }
            request.demand(this);
        }

        private void take(final Content.Chunk chunk)
        {
            final ByteBuffer part = chunk.getByteBuffer();
            length += part.remaining();
            if (length <= config.maxBodyBytes())
            {
                final byte[] copy = new byte[part.remaining()];
                part.get(copy);
                bytes.writeBytes(copy);
            }
        }

        private void answer()
        {
            if (length > config.maxBodyBytes())
            {
                reply.send(TOO_LARGE, HttpReply.JSON, errors.apply(TOO_LARGE, "the body of the request has " + length +
                    " bytes, above the " + config.maxBodyBytes() + " that this server reads; send a shorter one"));
                return;
            }
            reply.keepWaiting();
            handler.handle(new JettyRequest(request, bytes.toByteArray()), reply);
            reply.watch();
        }
    }
}
