// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.HttpReply;

import java.time.Duration;

/** Sends errors. */
final class Errors
{
    private Errors()
    {
    }

    static void send(final HttpReply reply, final ApiError error)
    {
        final Duration retryAfter = error.retryAfter();
        if (retryAfter != null)
        {
            // Whole seconds, and never at once.
            reply.header("Retry-After", Long.toString(Math.max(1, retryAfter.plusMillis(999).toSeconds())));
        }
        reply.send(error.status(), HttpReply.JSON, error.body());
    }
}
