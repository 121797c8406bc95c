// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.HttpRequest;

import java.nio.charset.StandardCharsets;

/** A request for a route, without a transport and headers. */
record DirectRequest(String method, String path, String text) implements HttpRequest
{
    @Override
    public String query()
    {
        return null;
    }

    @Override
    public String header(final String name)
    {
        return null;
    }

    @Override
    public byte[] body()
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
