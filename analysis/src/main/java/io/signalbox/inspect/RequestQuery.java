// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.state.RunRequest;

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

    public RequestQuery(final RequestFilter filter)
    {
        this.filter = filter;
    }

    @Override
    void begin(final JournalReader journal)
    {
        requireRank(journal, filter.rank());
    }

    @Override
    boolean needsAll()
    {
        return false;
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
     * @param rank           the rank that it was placed on last; {@code null} if it was not placed
     * @param promptTokens   prompt tokens
     * @param matchedBlocks  cached blocks that the request took over at its first admission whose step was not withdrawn;
     *                       their sum is {@code prefixCache.matchedBlocks}; {@code null} if it was not admitted
     * @param tokens         tokens that were emitted
     * @param queuedNanos    time from the Submit to the first admission; {@code null} if it was not admitted
     * @param ttftNanos      time to the first token; {@code null} if there was none
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
        Long rank,
        long promptTokens,
        Long matchedBlocks,
        long tokens,
        Long queuedNanos,
        Long ttftNanos,
        Long totalNanos,
        long preemptions,
        long pauses,
        long restarts,
        String end)
    {
    }

    private static RequestRow row(final RunRequest request, final String end, final Long totalNanos)
    {
        return new RequestRow(request.id(), request.submitNanos(), known(request.conversationId()),
            known(request.placedRank()), request.promptTokens(), known(request.matchedBlocks()), request.tokens(),
            since(request, request.admittedNanos()), since(request, request.firstTokenNanos()), totalNanos,
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
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        list(row(request, "refused: " + label(answer.reason()), 0L));
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        if (request != null)
        {
            list(row(request, label(end.reason()), nowNanos() - request.submitNanos()));
        }
    }

    @Override
    void finish()
    {
        for (final RunRequest request : live())
        {
            list(row(request, "unfinished", filter.slowest() == 0 ? null : (Long)(nowNanos() - request.submitNanos())));
        }
        final List<RequestRow> slow = new ArrayList<>(slowest);
        slow.sort(FASTEST_FIRST.reversed());
        slow.forEach(this::row);
    }

    private void list(final RequestRow row)
    {
        if (!isWanted(row))
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

    private boolean isWanted(final RequestRow row)
    {
        return (filter.ends() == null || (row.end.equals(filter.ends()) || row.end.startsWith(filter.ends() + ": "))) &&
            (!filter.preempted() || row.preemptions > 0) &&
            (filter.rank() < 0 || row.rank != null && filter.rank() == row.rank) &&
            (filter.conversation() == null || filter.conversation().equals(row.conversation)) &&
            filter.submitted().has(row.submittedNanos);
    }
}
