// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Ends connections whose headers do not come: the idle time of a connection begins again with each byte, so a client that
 * sends one byte now and then would keep its connection for hours.
 */
final class JettyPatience extends AbstractLifeCycle implements Connection.Listener
{
    private static final long MOST_LOOK_MILLIS = 1000;

    private final ServerConnector connector;
    private final long millis;
    private final Map<Connection, Since> open = new ConcurrentHashMap<>();
    private volatile Scheduler.Task next;

    JettyPatience(final ServerConnector connector, final long millis)
    {
        this.connector = connector;
        this.millis = millis;
    }

    /** Bytes and requests of a connection when it last had no request that has begun and not come whole. */
    private static final class Since
    {
        private long bytes;
        private long requests;
        private long nanos = System.nanoTime();
    }

    @Override
    protected void doStart()
    {
        look();
    }

    @Override
    protected void doStop()
    {
        if (next != null)
        {
            next.cancel();
        }
    }

    @Override
    public void onOpened(final Connection connection)
    {
        open.put(connection, new Since());
    }

    @Override
    public void onClosed(final Connection connection)
    {
        open.remove(connection);
    }

    /** Nothing of a request has come through it yet. */
    private static boolean isHandshake(final SslConnection connection)
    {
        final Connection inner = connection.getSslEndPoint().getConnection();
        return connection.getBytesIn() > 0 && (inner == null || inner.getBytesIn() == 0);
    }

    private void look()
    {
        final long now = System.nanoTime();
        open.forEach((connection, since) ->
        {
            final boolean isPart = connection instanceof SslConnection ? isHandshake((SslConnection)connection) :
                connection.getBytesIn() > since.bytes && connection.getMessagesIn() == since.requests &&
                    connection.getMessagesOut() == since.requests;
            if (!isPart)
            {
                since.bytes = connection.getBytesIn();
                since.requests = connection.getMessagesIn();
                since.nanos = now;
            }
            else if (now - since.nanos > TimeUnit.MILLISECONDS.toNanos(millis))
            {
                connection.close();
            }
        });
        if (isRunning())
        {
            next = connector.getScheduler().schedule(this::look, Math.min(millis, MOST_LOOK_MILLIS), TimeUnit.MILLISECONDS);
        }
    }
}
