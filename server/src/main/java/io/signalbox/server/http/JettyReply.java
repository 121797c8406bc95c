// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** An answer through Jetty. */
final class JettyReply implements HttpReply
{
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final int maxUnsentBytes;
    private final AtomicBoolean answered = new AtomicBoolean();
    /** The fields below are guarded by this object. */
    private boolean completed;
    private boolean left;
    /** Notices that the client leaves; {@code null}: not yet, or not any more. */
    private JettyWatch watch;
    private Runnable onAbort;

    JettyReply(final Request request, final Response response, final Callback callback, final int maxUnsentBytes)
    {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.maxUnsentBytes = maxUnsentBytes;
        request.addFailureListener(cause -> left());
    }

    /** The body is read. A client waits in silence for an answer that takes long: its connection is not idle then. */
    void keepWaiting()
    {
        request.addIdleTimeoutListener(timeout -> false);
    }

    /** The answer comes later: from now on it is noticed at once if the client leaves. */
    synchronized void watch()
    {
        if (!completed && !left)
        {
            watch = JettyWatch.of(request, this);
        }
    }

    /** Ends the watch: the connection reads again by itself. */
    private void endWatch()
    {
        if (watch != null)
        {
            watch.end();
            watch = null;
        }
    }

    @Override
    public HttpReply header(final String name, final String value)
    {
        response.getHeaders().put(name, value);
        return this;
    }

    @Override
    public void send(final int status, final String contentType, final byte[] body)
    {
        if (answered.compareAndSet(false, true))
        {
            response.setStatus(status);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
            JettyWrite.begin(response, true, ByteBuffer.wrap(body), Callback.from(this::complete, this::fail));
        }
    }

    @Override
    public EventStream stream()
    {
        if (!answered.compareAndSet(false, true))
        {
            throw new IllegalStateException("the request is answered already");
        }
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream; charset=utf-8");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache");
        return new JettyEventStream(response, this, maxUnsentBytes);
    }

    @Override
    public void onAbort(final Runnable action)
    {
        synchronized (this)
        {
            if (!left)
            {
                onAbort = action;
                return;
            }
        }
        action.run();
    }

    /** The last byte is with the connection. */
    void complete()
    {
        synchronized (this)
        {
            if (completed)
            {
                return;
            }
            completed = true;
            onAbort = null;
            endWatch();
        }
        callback.succeeded();
    }

    /** The connection is of no use any more. */
    void fail(final Throwable cause)
    {
        left();
        synchronized (this)
        {
            if (completed)
            {
                return;
            }
            completed = true;
            endWatch();
        }
        answered.set(true);
        callback.failed(cause);
    }

    private void left()
    {
        final Runnable action;
        synchronized (this)
        {
            left = true;
            action = onAbort;
            onAbort = null;
        }
        if (action != null)
        {
            action.run();
        }
    }
}
