// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.HttpHandler;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;

/**
 * A route with its declared protection; {@link Routes} takes no other. Only {@link Guard} makes one.
 *
 * @param access  who may use it.
 * @param handler checks that, then answers.
 */
record GuardedRoute(Access access, HttpHandler handler) implements HttpHandler
{
    /** Who may use a route. Pages of other sites never may. */
    enum Access
    {
        /** Everybody who reaches the server. */
        ALL,
        /** Clients with an API key, if the server has one. */
        CLIENTS,
        /** Operators with an admin key. */
        ADMINS
    }

    @Override
    public void handle(final HttpRequest request, final HttpReply reply)
    {
        handler.handle(request, reply);
    }
}
