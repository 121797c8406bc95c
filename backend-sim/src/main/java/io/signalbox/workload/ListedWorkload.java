// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes a workload of listed requests: one unit of time, one origin, sessions as chains. */
final class ListedWorkload
{
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int USUAL_TOKENS_PER_ID = 512;
    private static final int BAILIAN_TOKENS_PER_ID = 16;
    private static final int MOST_BLOCK_BITS = 16;
    private static final int NONE = -1;

    private final Path file;
    private final TraceFormat format;
    private final TraceOpening opening;
    private final List<ListedRequest> listed;
    private final List<WorkloadRequest> requests = new ArrayList<>();
    private final List<OpenTrace.Blocks> blocks = new ArrayList<>();
    private final Map<String, Session> sessions = new HashMap<>();

    private static final class Session
    {
        private final long number;
        private long last = NONE;
        private int tokens;

        Session(final long number)
        {
            this.number = number;
        }
    }

    ListedWorkload(
        final Path file, final TraceFormat format, final TraceOpening opening, final List<ListedRequest> listed)
    {
        this.file = file;
        this.format = format;
        this.opening = opening;
        this.listed = listed;
    }

    OpenTrace workload()
    {
        final double origin = listed.stream().mapToDouble(ListedRequest::time).filter(Double::isFinite).min().orElse(0);
        final double unit = unitNanos(origin);
        final int tokensPerId = tokensPerId();
        for (final ListedRequest each : listed)
        {
            add(each, origin, unit, each.tokensPerId() > 0 ? each.tokensPerId() : tokensPerId);
        }
        return new OpenTrace(format.label(), file, requests, blocks);
    }

    /** If more than a thousand requests arrived per second, fractions of milliseconds were seconds. */
    private double unitNanos(final double origin)
    {
        if (!Double.isNaN(opening.givenNanos()))
        {
            return opening.givenNanos();
        }
        return switch (format)
        {
            case BURSTGPT, BAILIAN, VLLM_BENCH, SHAREGPT -> NANOS_PER_SECOND;
            case AZURE -> 1;
            case REQUESTS -> 1000;
            case MOONCAKE ->
            {
                final double span =
                    listed.stream().mapToDouble(ListedRequest::time).filter(Double::isFinite).max().orElse(0) - origin;
                final boolean isFractional = listed.stream().anyMatch(each -> each.time() != Math.rint(each.time()));
                yield isFractional && span < listed.size() ? NANOS_PER_SECOND : NANOS_PER_MILLI;
            }
            default -> NANOS_PER_MILLI;
        };
    }

    private int tokensPerId()
    {
        if (opening.tokensPerId() > 0)
        {
            return opening.tokensPerId();
        }
        if (format == TraceFormat.BAILIAN)
        {
            return BAILIAN_TOKENS_PER_ID;
        }
        int smallest = 0;
        for (int bits = MOST_BLOCK_BITS; bits >= 0; bits--)
        {
            final int tokens = 1 << bits;
            if (listed.stream().allMatch(each -> each.ids() == null || fits(each, tokens)))
            {
                if (tokens == USUAL_TOKENS_PER_ID)
                {
                    return tokens;
                }
                smallest = tokens;
            }
        }
        return smallest == 0 ? USUAL_TOKENS_PER_ID : smallest;
    }

    /** One id per block, the last of which may be partial, or left out. */
    private static boolean fits(final ListedRequest each, final int tokens)
    {
        return each.ids().length == (each.promptTokens() + tokens - 1) / tokens ||
            each.ids().length == each.promptTokens() / tokens;
    }

    private void add(final ListedRequest each, final double origin, final double unit, final int tokensPerId)
    {
        final long id = requests.size() + 1L;
        final Session session = each.session() == null ? null :
            sessions.computeIfAbsent(each.session(), name -> new Session(sessions.size() + 1L));
        final boolean isDelta = format == TraceFormat.MOONCAKE_DELTA && session != null;
        final long earlier = isDelta ? session.tokens : 0;
        final int prompt = (int)Math.min(SizeDistribution.MAX_SIZE, each.promptTokens() + earlier);
        final boolean follows = session != null && session.last != NONE && Double.isNaN(each.time());
        final WorkloadRequest request = follows ?
            WorkloadRequest.following(id, session.last, nanos(each.delay() * unit), prompt, each.outputTokens()) :
            WorkloadRequest.arriving(
                id, Double.isNaN(each.time()) ? 0 : nanos((each.time() - origin) * unit), prompt, each.outputTokens());
        requests.add(session == null ? request : request.ofConversation(session.number));
        final boolean continues = isDelta || format == TraceFormat.SHAREGPT;
        blocks.add(new OpenTrace.Blocks(isDelta ? null : each.ids(), tokensPerId, continues ? session.number : 0));
        if (session != null)
        {
            session.last = id;
            session.tokens = prompt + each.outputTokens();
        }
    }

    private long nanos(final double value)
    {
        if (!(value >= 0 && value <= VirtualTime.MAX_NANOS))
        {
            throw format.misread(file, "has a time outside of simulated time");
        }
        return Math.round(value);
    }
}
