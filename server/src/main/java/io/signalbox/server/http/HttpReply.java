// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

/**
 * The answer to one request: one call of {@link #send} or {@link #stream}, from any thread. A second one is ignored, and so
 * is every call after the client has left.
 */
public interface HttpReply
{
    String JSON = "application/json";

    /** Adds a header; before the answer. */
    HttpReply header(String name, String value);

    /** Sends a whole answer. */
    void send(int status, String contentType, byte[] body);

    /** Begins an answer of events, with status 200. */
    EventStream stream();

    /** Runs once if the client leaves before its answer is complete; at once if it has left. Must not wait. */
    void onAbort(Runnable action);
}
