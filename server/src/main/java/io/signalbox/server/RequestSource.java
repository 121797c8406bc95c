// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.CompletionRequest;
import io.signalbox.server.http.HttpRequest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * What the headers of a request say besides its body.
 *
 * @param session      the name of the conversation; {@code null}: none.
 * @param conversation a number for the name; -1: none.
 * @param rank         the DP rank that must compute the request; -1: any.
 */
record RequestSource(String session, long conversation, int rank)
{
    private static final int NONE = -1;
    private static final int MAX_LENGTH = 256;
    private static final String RANK = "X-data-parallel-rank";
    private static final List<String> SESSIONS = List.of("X-Session-ID", "X-SMG-Routing-Key", "X-Dynamo-Session-ID");

    /**
     * @param ranks of the engine.
     * @throws ApiError if a header has a value that is not allowed.
     */
    static RequestSource of(final HttpRequest request, final int ranks)
    {
        final String session = session(request);
        return new RequestSource(session, session == null ? NONE : number(session), rank(request.header(RANK), ranks));
    }

    /** The same on the rank that a field of the body names, if it names one. */
    RequestSource onRank(final RequestFields fields, final String name, final int ranks)
    {
        return new RequestSource(session, conversation, fields.whole(name, 0, ranks - 1, rank));
    }

    private static String session(final HttpRequest request)
    {
        for (final String name : SESSIONS)
        {
            final String value = request.header(name);
            if (value != null)
            {
                if (value.length() > MAX_LENGTH || !value.matches("[!-~]+"))
                {
                    throw refused(name, "1 to " + MAX_LENGTH + " printable ASCII characters without spaces");
                }
                return value;
            }
        }
        return null;
    }

    private static int rank(final String value, final int ranks)
    {
        if (value == null)
        {
            return NONE;
        }
        if (!value.matches("[0-9]{1,9}") || Integer.parseInt(value) >= ranks)
        {
            throw refused(RANK, "a DP rank from 0 to " + (ranks - 1));
        }
        return Integer.parseInt(value);
    }

    /** The value may come from a stranger and may be long, so the message does not repeat it. */
    private static ApiError refused(final String header, final String allowed)
    {
        return ApiError.badRequest(header, "the header " + header + " has a value that is not allowed; give " + allowed);
    }

    /** The same name has the same number in every run. */
    private static long number(final String session)
    {
        try
        {
            final byte[] digest =
                MessageDigest.getInstance("SHA-256").digest(session.getBytes(StandardCharsets.US_ASCII));
            return ByteBuffer.wrap(digest).getLong() & Long.MAX_VALUE;
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException(e);
        }
    }

    CompletionRequest apply(final CompletionRequest request)
    {
        final CompletionRequest bound = conversation == NONE ? request : request.conversation(conversation);
        return rank == NONE ? bound : bound.rankHint(rank, false);
    }
}
