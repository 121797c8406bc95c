// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;
import io.signalbox.server.kvevents.KvEvents;

import java.util.List;
import java.util.stream.IntStream;

/** The blocks that ranks have cached now, for a subscriber of KV events that begins or has missed some. */
final class KvRoutes
{
    private static final int OK = 200;
    private static final String RANK = "rank=";
    private static final String TOKENS = "token_ids=";

    /** {@code null}: the server publishes none. */
    private final KvEvents events;

    KvRoutes(final KvEvents events)
    {
        this.events = events;
    }

    void snapshot(final HttpRequest request, final HttpReply reply)
    {
        if (events == null)
        {
            throw ApiError.of(ApiError.NOT_FOUND,
                "this server follows no KV blocks; start it with --kv-events-port");
        }
        if (!events.isSound())
        {
            throw ApiError.of(ApiError.UNAVAILABLE, "this server publishes no KV events any more; its log has the reason");
        }
        List<Integer> ranks = IntStream.range(0, events.ranks()).boxed().toList();
        boolean tokens = true;
        for (final String part : request.query() == null ? new String[0] : request.query().split("&"))
        {
            if (part.startsWith(RANK))
            {
                ranks = List.of(rank(part.substring(RANK.length())));
            }
            else if (part.startsWith(TOKENS))
            {
                tokens = flag(part.substring(TOKENS.length()));
            }
        }
        final List<Integer> wanted = ranks;
        final boolean withTokens = tokens;
        reply.send(OK, HttpReply.JSON, JsonBytes.of(json -> events.writeSnapshot(json, wanted, withTokens)));
    }

    private int rank(final String text)
    {
        if (text.matches("[0-9]{1,9}") && Integer.parseInt(text) < events.ranks())
        {
            return Integer.parseInt(text);
        }
        throw ApiError.badRequest("rank", "rank is not one of 0 to " + (events.ranks() - 1) + "; give one of them");
    }

    private static boolean flag(final String text)
    {
        if (text.equals("true") || text.equals("false"))
        {
            return text.equals("true");
        }
        throw ApiError.badRequest("token_ids", "token_ids is neither true nor false; give one of the two");
    }
}
