// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

/** Answers requests. */
@FunctionalInterface
public interface HttpHandler
{
    /**
     * Answers one request, in this call or later, from any thread. Must not wait for the engine: all clients share the
     * threads of the transport.
     */
    void handle(HttpRequest request, HttpReply reply);
}
