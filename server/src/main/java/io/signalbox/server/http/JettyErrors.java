// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

import java.nio.ByteBuffer;
import java.util.function.BiFunction;

/** Errors that Jetty finds, such as a header that is too long, in the form of this server's errors. */
final class JettyErrors extends ErrorHandler
{
    private final BiFunction<Integer, String, byte[]> errors;

    JettyErrors(final BiFunction<Integer, String, byte[]> errors)
    {
        this.errors = errors;
        // A page would name the class of an exception.
        setShowStacks(false);
        setShowCauses(false);
    }

    @Override
    public boolean errorPageForMethod(final String method)
    {
        return true;
    }

    @Override
    protected void generateResponse(
        final Request request, final Response response, final int code, final String message, final Throwable cause,
        final Callback callback)
    {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, HttpReply.JSON);
        response.write(true, ByteBuffer.wrap(errors.apply(code, text(code, message))), callback);
    }

    private static String text(final int status, final String message)
    {
        final int internal = 500;
        return message == null || status >= internal ? "HTTP status " + status : message;
    }
}
