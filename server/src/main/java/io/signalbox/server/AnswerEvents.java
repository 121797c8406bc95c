// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.printing.Json;
import io.signalbox.server.http.EventStream;
import io.signalbox.server.http.HttpReply;

import java.nio.charset.StandardCharsets;

/** The events of an answer that is a stream; it begins with the first one, so an early error has a status of its own. */
final class AnswerEvents
{
    private static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ALIVE = ": keep-alive\n\n".getBytes(StandardCharsets.US_ASCII);

    private final HttpReply reply;
    /** {@code null}: no event was sent. */
    private EventStream stream;

    AnswerEvents(final HttpReply reply)
    {
        this.reply = reply;
    }

    private EventStream stream()
    {
        stream = stream == null ? reply.stream() : stream;
        return stream;
    }

    /** Sends a document. */
    void send(final Json.Body document)
    {
        stream().send(JsonBytes.event(document));
    }

    /** Sends a comment, which clients ignore. */
    void keepAlive()
    {
        stream().send(ALIVE.clone());
    }

    void end()
    {
        stream().send(DONE.clone());
        stream().end();
    }

    /** Sends an error, as an event if the stream has begun. */
    void fail(final ApiError error)
    {
        if (stream == null)
        {
            Errors.send(reply, error);
            return;
        }
        stream.send(("data: " + new String(error.body(), StandardCharsets.UTF_8) + "\n\n").getBytes(StandardCharsets.UTF_8));
        end();
    }
}
