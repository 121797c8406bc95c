// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Notices at once that a client leaves while its answer is not complete. Jetty reads a connection only between requests, so
 * the end of the connection would be seen with the first write that fails, and never while a request waits in silence.
 * What a client sends ahead of its answer is the next request, and is given to the connection.
 */
final class JettyWatch implements Callback
{
    private static final int BUFFER_BYTES = 4096;

    private final AbstractEndPoint endPoint;
    private final Connection.UpgradeTo connection;
    private final JettyReply reply;
    /** Guarded by the reply, as is everything that the watch does. */
    private boolean ended;

    private JettyWatch(final AbstractEndPoint endPoint, final Connection.UpgradeTo connection, final JettyReply reply)
    {
        this.endPoint = endPoint;
        this.connection = connection;
        this.reply = reply;
    }

    /** {@code null} if the connection cannot be watched. */
    static JettyWatch of(final Request request, final JettyReply reply)
    {
        final Connection connection = request.getConnectionMetaData().getConnection();
        if (!(connection.getEndPoint() instanceof AbstractEndPoint) || !(connection instanceof Connection.UpgradeTo))
        {
            return null;
        }
        final JettyWatch watch = new JettyWatch(
            (AbstractEndPoint)connection.getEndPoint(), (Connection.UpgradeTo)connection, reply);
        return watch.endPoint.tryFillInterested(watch) ? watch : null;
    }

    /** The connection has bytes, or has ended. */
    @Override
    public void succeeded()
    {
        boolean hasLeft = false;
        synchronized (reply)
        {
            if (ended)
            {
                return;
            }
            try
            {
                final ByteBuffer buffer = BufferUtil.allocate(BUFFER_BYTES);
                final int read = endPoint.fill(buffer);
                hasLeft = read < 0;
                ended = read != 0;
                if (read > 0)
                {
                    connection.onUpgradeTo(buffer);
                }
                else if (read == 0)
                {
                    endPoint.tryFillInterested(this);
                }
            }
            catch (final IOException e)
            {
                ended = true;
                hasLeft = true;
            }
        }
        if (hasLeft)
        {
            reply.fail(new EofException("the client has left"));
        }
    }

    /** The watch was ended, or the connection was. */
    @Override
    public void failed(final Throwable cause)
    {
        final boolean hasLeft;
        synchronized (reply)
        {
            hasLeft = !ended;
            ended = true;
        }
        if (hasLeft)
        {
            reply.fail(cause);
        }
    }

    /** The answer is complete; called with the lock of the reply. */
    void end()
    {
        if (!ended)
        {
            ended = true;
            endPoint.getFillInterest().onFail(new EofException("the answer is complete"));
        }
    }
}
