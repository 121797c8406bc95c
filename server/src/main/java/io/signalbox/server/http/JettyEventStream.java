// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A stream through Jetty: at most one write is under way, and its end starts the next one with everything that has come
 * meanwhile. So a slow client gets larger pieces, and holds no thread. One event that is larger than what may wait, such
 * as one with the routed experts of a long prompt, may wait beside the others.
 */
final class JettyEventStream implements EventStream
{
    private final Response response;
    private final JettyReply reply;
    private final int maxUnsentBytes;
    /** The fields below are guarded by this object. */
    private ByteArrayOutputStream unsent = new ByteArrayOutputStream();
    /** Bytes of it in an event that is larger than what may wait. */
    private long unsentLarge;
    private boolean writing;
    private boolean ended;
    private boolean over;
    private volatile long lastNanos = System.nanoTime();

    JettyEventStream(final Response response, final JettyReply reply, final int maxUnsentBytes)
    {
        this.response = response;
        this.reply = reply;
        this.maxUnsentBytes = maxUnsentBytes;
    }

    @Override
    public void send(final byte[] bytes)
    {
        final boolean tooSlow;
        synchronized (this)
        {
            if (ended || over)
            {
                return;
            }
            lastNanos = System.nanoTime();
            final boolean isLarge = bytes.length > maxUnsentBytes;
            tooSlow = isLarge ? unsentLarge > 0 : unsent.size() + bytes.length - unsentLarge > maxUnsentBytes;
            unsentLarge += isLarge ? bytes.length : 0;
            if (!tooSlow)
            {
                unsent.writeBytes(bytes);
            }
            over = tooSlow;
        }
        if (tooSlow)
        {
            reply.fail(new IOException("the client reads so slowly that " + maxUnsentBytes + " bytes wait for it"));
            return;
        }
        write();
    }

    @Override
    public void end()
    {
        synchronized (this)
        {
            ended = true;
        }
        write();
    }

    @Override
    public long lastNanos()
    {
        return lastNanos;
    }

    /** Starts a write unless one is under way, or there is nothing to write. */
    private void write()
    {
        final ByteBuffer piece;
        final boolean last;
        synchronized (this)
        {
            if (writing || over || unsent.size() == 0 && !ended)
            {
                return;
            }
            writing = true;
            last = ended;
            over = last;
            piece = ByteBuffer.wrap(unsent.toByteArray());
            unsent = new ByteArrayOutputStream();
            unsentLarge = 0;
        }
        JettyWrite.begin(response, last, piece, Callback.from(() -> written(last), this::failed));
    }

    private void written(final boolean last)
    {
        if (last)
        {
            reply.complete();
            return;
        }
        synchronized (this)
        {
            writing = false;
        }
        write();
    }

    private void failed(final Throwable cause)
    {
        synchronized (this)
        {
            over = true;
        }
        reply.fail(cause);
    }
}
