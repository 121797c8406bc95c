// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.HttpRequest;

import java.util.UUID;

/** Ids of requests that clients give, or new ones. */
final class RequestIds
{
    private static final int MAX_LENGTH = 128;

    private RequestIds()
    {
    }

    /** The header X-Request-Id if it is printable and not too long. */
    static String of(final HttpRequest request)
    {
        return orNew(request.header("X-Request-Id"));
    }

    /** A field of the body if it is there, else the header. */
    static String of(final RequestFields fields, final String name, final HttpRequest request)
    {
        final String given = fields.text(name);
        if (given != null && !isPrintable(given))
        {
            throw fields.refused(name, "1 to " + MAX_LENGTH + " printable characters without spaces");
        }
        return given == null ? of(request) : given;
    }

    private static String orNew(final String given)
    {
        return given != null && isPrintable(given) ? given : UUID.randomUUID().toString().replace("-", "");
    }

    /** Whether it is 1 to 128 printable ASCII characters without spaces. */
    static boolean isPrintable(final String id)
    {
        return id.length() <= MAX_LENGTH && id.matches("[!-~]+");
    }
}
