// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.EventStream;
import io.signalbox.server.http.HttpReply;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** Keeps the status and the body of an answer. */
record KeptAnswer(CompletableFuture<String> answer) implements HttpReply
{
    @Override
    public HttpReply header(final String name, final String value)
    {
        return this;
    }

    @Override
    public void send(final int status, final String contentType, final byte[] body)
    {
        answer.complete(status + " " + new String(body, StandardCharsets.UTF_8));
    }

    @Override
    public EventStream stream()
    {
        throw new AssertionError("the answer is not a stream");
    }

    @Override
    public void onAbort(final Runnable action)
    {
        // The client stays.
    }
}
