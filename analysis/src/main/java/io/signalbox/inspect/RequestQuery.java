// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunRequest;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Lists requests: those that ended in the order of their ends, then those that did not end by ascending id. A request whose
 * Submit was removed is not listed.
 */
public final class RequestQuery extends JournalQuery
{
    private static final Comparator<RequestRow> FASTEST_FIRST =
        Comparator.<RequestRow>comparingLong(row -> row.totalNanos)
            .thenComparing(row -> row.request, Comparator.reverseOrder());

    private final RequestFilter filter;
    private final PriorityQueue<RequestRow> slowest = new PriorityQueue<>(FASTEST_FIRST);
    private final TenantNames tenants = new TenantNames();
    private final Long2ObjectHashMap<Asked> asked = new Long2ObjectHashMap<>();
    /** The last Submit, which is not answered. A Submit that repeats the id of a live request is refused. */
    private Asked submitted;
    private int blockSizeTokens;

    /** What a live request has beside its {@link RunRequest}. */
    private static final class Asked
    {
        private final String tenant;
        private long placedNanos = RunRequest.UNKNOWN;

        private Asked(final String tenant)
        {
            this.tenant = tenant;
        }
    }

    public RequestQuery(final RequestFilter filter)
    {
        this.filter = filter;
    }

    @Override
    void begin(final JournalReader journal)
    {
        requireRank(journal, filter.rank());
        blockSizeTokens = journal.setting(SchedulerConfig.BLOCK_SIZE_TOKENS);
    }

    @Override
    boolean needsAll()
    {
        return false;
    }

    /** What tells a slow request from a fast one. */
    @Override
    public List<String> mainColumns()
    {
        return List.of("request", "submittedSeconds", "rank", "promptTokens", "cachedTokens", "tokens", "queuedMs",
            "ttftMs", "tpotMs", "totalMs", "preemptions", "restarts", "end");
    }

    @Override
    public Class<RequestRow> rowType()
    {
        return RequestRow.class;
    }

    /**
     * A row of {@code inspect requests JOURNAL --json}: a request.
     *
     * @param request        its id
     * @param submittedNanos logical time of the Submit
     * @param conversation   its conversation; {@code null} if there is none
     * @param tenant         its tenant, or its cache key as text; {@code null} if there is none
     * @param rank           the rank that it was placed on last; {@code null} if it was not placed
     * @param promptTokens   prompt tokens
     * @param matchedBlocks  cached blocks that the request took over at its first admission whose step was not withdrawn;
     *                       their sum is {@code prefixCache.matchedBlocks}; {@code null} if it was not admitted
     * @param cachedTokens   prompt tokens in these blocks; {@code null} if it was not admitted
     * @param tokens         tokens that were emitted
     * @param placedNanos    time from the Submit to its first placement; {@code null} if it was not placed
     * @param queuedNanos    time from the Submit to the first admission; {@code null} if it was not admitted
     * @param ttftNanos      time to the first token; {@code null} if there was none
     * @param tpotNanos      mean time per output token after the first; {@code null} without a second token
     * @param totalNanos     time to the end, with {@code --slowest} of an unfinished request so far; {@code null} if it did
     *                       not end
     * @param preemptions    times that it was preempted
     * @param pauses         times that it was paused
     * @param restarts       times that it started over for another reason
     * @param end            {@code length}, {@code stop}, {@code cancelled}, {@code deadline}, {@code failed},
     *                       {@code new-weights}, {@code refused: } with the reason, or {@code unfinished}
     */
    @DocumentSchema("signalbox.inspect-requests/2")
    public record RequestRow(
        long request,
        @JsonName("submittedSeconds") long submittedNanos,
        Long conversation,
        String tenant,
        Long rank,
        long promptTokens,
        Long matchedBlocks,
        Long cachedTokens,
        long tokens,
        Long placedNanos,
        Long queuedNanos,
        Long ttftNanos,
        Long tpotNanos,
        Long totalNanos,
        long preemptions,
        long pauses,
        long restarts,
        String end)
    {
    }

    private RequestRow row(final RunRequest request, final Asked was, final String end, final Long totalNanos)
    {
        final long tpotNanos = request.tpotNanos();
        return new RequestRow(request.id(), request.submitNanos(), known(request.conversationId()),
            was.tenant.isEmpty() ? null : was.tenant, known(request.placedRank()), request.promptTokens(),
            known(request.matchedBlocks()), request.matchedBlocks() == RunRequest.UNKNOWN ? null :
            (Long)Math.min(request.promptTokens(), (long)request.matchedBlocks() * blockSizeTokens), request.tokens(),
            since(request, was.placedNanos), since(request, request.admittedNanos()),
            since(request, request.firstTokenNanos()), tpotNanos == 0 ? null : (Long)tpotNanos, totalNanos,
            request.preemptions(), request.pauses(), request.restarts(), end);
    }

    private static Long known(final long value)
    {
        return value < 0 ? null : value;
    }

    private static Long since(final RunRequest request, final long nanos)
    {
        return nanos == RunRequest.UNKNOWN ? null : (Long)(nanos - request.submitNanos());
    }

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        submitted = new Asked(tenants.of(submit));
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        asked.put(request.id(), submitted);
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        final Asked was = asked.get(decision.requestId());
        if (was != null && was.placedNanos == RunRequest.UNKNOWN)
        {
            was.placedNanos = nowNanos();
        }
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        list(row(request, submitted, "refused: " + label(answer.reason()), 0L));
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        if (request != null)
        {
            list(row(request, asked.remove(request.id()), label(end.reason()), nowNanos() - request.submitNanos()));
        }
    }

    @Override
    void finish()
    {
        for (final RunRequest request : live())
        {
            list(row(request, asked.remove(request.id()), "unfinished",
                filter.slowest() == 0 ? null : (Long)(nowNanos() - request.submitNanos())));
        }
        final List<RequestRow> slow = new ArrayList<>(slowest);
        slow.sort(FASTEST_FIRST.reversed());
        slow.forEach(this::row);
    }

    private void list(final RequestRow row)
    {
        if (!isAsked(row) || !isWanted(row))
        {
            return;
        }
        if (filter.slowest() == 0)
        {
            row(row);
            return;
        }
        slowest.add(row);
        if (slowest.size() > filter.slowest())
        {
            slowest.remove();
        }
    }

    private boolean isAsked(final RequestRow row)
    {
        return (filter.ends() == null || (row.end.equals(filter.ends()) || row.end.startsWith(filter.ends() + ": "))) &&
            (!filter.preempted() || row.preemptions > 0) &&
            (filter.rank() < 0 || row.rank != null && filter.rank() == row.rank) &&
            (filter.conversation() == null || filter.conversation().equals(row.conversation)) &&
            filter.submitted().has(row.submittedNanos);
    }
}
