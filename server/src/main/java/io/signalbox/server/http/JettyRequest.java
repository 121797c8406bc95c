// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import org.eclipse.jetty.server.Request;

/** A request of Jetty. */
final class JettyRequest implements HttpRequest
{
    private final Request request;
    private final byte[] body;

    JettyRequest(final Request request, final byte[] body)
    {
        this.request = request;
        this.body = body;
    }

    @Override
    public String method()
    {
        return request.getMethod();
    }

    @Override
    public String path()
    {
        return Request.getPathInContext(request);
    }

    @Override
    public String query()
    {
        return request.getHttpURI().getQuery();
    }

    @Override
    public String header(final String name)
    {
        return request.getHeaders().get(name);
    }

    @Override
    public byte[] body()
    {
        return body;
    }
}
