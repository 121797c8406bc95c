// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.serving;

import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A handler of Jetty that reads the body of a request and streams as many events as it is told, each as soon as the one
 * before is written: the ceiling of what a server on this library can stream.
 */
final class BareHandler extends Handler.Abstract
{
    private static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.US_ASCII);

    private final byte[] event;
    private volatile int events;

    private BareHandler(final byte[] event)
    {
        this.event = event;
    }

    /** A handler at a port of loopback, until it is closed. */
    record Listening(BareHandler handler) implements AutoCloseable
    {
        @Override
        public void close()
        {
            LifeCycle.stop(handler.getServer());
        }
    }

    /** Listens at a free port of loopback. */
    static Listening listen(final byte[] event) throws Exception
    {
        final BareHandler handler = new BareHandler(event);
        final Server server = new Server();
        final ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(handler);
        server.start();
        return new Listening(handler);
    }

    int port()
    {
        return ((ServerConnector)getServer().getConnectors()[0]).getLocalPort();
    }

    /** @param count events of each later answer. */
    void events(final int count)
    {
        events = count;
    }

    @Override
    public boolean handle(final Request request, final Response response, final Callback callback) throws Exception
    {
        Content.Source.asString(request);
        response.getHeaders().put("Content-Type", "text/event-stream");
        new Stream(response, callback, events).run();
        return true;
    }

    /** One answer. */
    private final class Stream implements Callback
    {
        private final Response response;
        private final Callback callback;
        private int left;

        private Stream(final Response response, final Callback callback, final int left)
        {
            this.response = response;
            this.callback = callback;
            this.left = left;
        }

        private void run()
        {
            left--;
            response.write(left < 0, ByteBuffer.wrap(left < 0 ? DONE : event), this);
        }

        @Override
        public void succeeded()
        {
            if (left < 0)
            {
                callback.succeeded();
                return;
            }
            run();
        }

        @Override
        public void failed(final Throwable cause)
        {
            callback.failed(cause);
        }
    }
}
