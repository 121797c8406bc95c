// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.CompletionRequest;
import io.signalbox.server.http.HttpRequest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What the headers of a request say besides its body.
 *
 * @param session      a name for the conversation and the key of its client; {@code null}: it has no name.
 * @param conversation a number for the name; -1: none.
 * @param clientId     the client's own id of the request; {@code null}: none.
 * @param rank         the DP rank that must compute the request; -1: any.
 */
record RequestSource(String session, long conversation, String clientId, int rank)
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
        final int rank = rank(request.header(RANK), ranks);
        final String id = request.header("X-Request-Id");
        final String clientId = id != null && RequestIds.isPrintable(id) ? id : null;
        return session == null ? new RequestSource(null, NONE, clientId, rank) :
            new RequestSource(owned(session, request.header("Authorization")), number(session), clientId, rank);
    }

    /** The same on the rank that a field of the body names, if it names one. */
    RequestSource onRank(final RequestFields fields, final String name, final int ranks)
    {
        return new RequestSource(session, conversation, clientId, fields.whole(name, 0, ranks - 1, rank));
    }

    /** The same with the id that a field of the body gives, if it gives one. */
    RequestSource named(final RequestFields fields, final String name)
    {
        final String given = fields.text(name);
        return new RequestSource(
            session, conversation, given != null && RequestIds.isPrintable(given) ? given : clientId, rank);
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
        return ByteBuffer.wrap(digest(session)).getLong() & Long.MAX_VALUE;
    }

    /** Another client that guesses the name learns nothing of the session. */
    private static String owned(final String session, final String key)
    {
        return HexFormat.of().formatHex(digest(session + '\n' + key));
    }

    private static byte[] digest(final String text)
    {
        try
        {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException(e);
        }
    }

    CompletionRequest apply(final CompletionRequest request)
    {
        final CompletionRequest bound = conversation == NONE ? request : request.conversation(conversation);
        final CompletionRequest named = clientId == null ? bound : bound.clientId(clientId);
        return rank == NONE ? named : named.rankHint(rank, false);
    }
}
