// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.JournalReader;
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
    private static final Comparator<Row> FASTEST_FIRST =
        Comparator.<Row>comparingLong(row -> row.nanos).thenComparing(row -> row.id, Comparator.reverseOrder());

    private final RequestFilter filter;
    private final Long2ObjectHashMap<Row> live = new Long2ObjectHashMap<>();
    private final PriorityQueue<Row> slowest = new PriorityQueue<>(FASTEST_FIRST);
    private Row asked;

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

    /** A request while it is alive. */
    private static final class Row
    {
        private static final long NONE = -1;

        private final long id;
        private final long submitNanos;
        private final long conversation;
        private final int promptTokens;
        private int rank = -1;
        private long matchedBlocks = NONE;
        private long queuedNanos = NONE;
        private long ttftNanos = NONE;
        private boolean landed;
        private long tokens;
        private long preemptions;
        private long pauses;
        private long restarts;
        private long nanos = NONE;
        private String end = "unfinished";

        private Row(final SubmitDecoder submit, final long nowNanos)
        {
            id = submit.requestId();
            submitNanos = nowNanos;
            conversation = submit.conversationId();
            promptTokens = submit.promptTokens();
        }

        private static Long known(final long value)
        {
            return value < 0 ? null : value;
        }

        private RequestRow values()
        {
            return new RequestRow(id, submitNanos, known(conversation), known(rank), promptTokens, known(matchedBlocks),
                tokens, known(queuedNanos), known(ttftNanos), known(nanos), preemptions, pauses, restarts, end);
        }
    }

    @Override
    protected void onSubmit(final SubmitDecoder submit)
    {
        asked = new Row(submit, nowNanos());
    }

    @Override
    protected void onAccepted(final AcceptedDecoder answer)
    {
        live.put(answer.requestId(), asked);
    }

    @Override
    protected void onRefused(final RefusedDecoder answer)
    {
        asked.end = "refused: " + label(answer.reason());
        asked.nanos = 0;
        list(asked);
    }

    @Override
    protected void onPlaced(final PlacedDecoder decision)
    {
        final Row row = live.get(decision.requestId());
        if (row != null)
        {
            row.rank = decision.rank();
        }
    }

    @Override
    protected void onSchedule(final StepView plan)
    {
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            final Row row = live.get(plan.admittedRequestId(i));
            if (row != null)
            {
                row.queuedNanos = row.queuedNanos < 0 ? nowNanos() - row.submitNanos : row.queuedNanos;
                row.matchedBlocks = row.matchedBlocks < 0 ? plan.matchedBlocks(i) : row.matchedBlocks;
            }
        }
    }

    @Override
    protected void onCommit(final CommitView step)
    {
        final int entries = step.entryCount();
        for (int entry = 0; entry < entries; entry++)
        {
            if (step.advance(entry) > 0)
            {
                land(live.get(step.requestId(entry)), step.emitted(entry));
            }
        }
    }

    private void land(final Row row, final int tokens)
    {
        if (row != null)
        {
            row.landed = true;
            row.ttftNanos = row.tokens == 0 && tokens > 0 ? nowNanos() - row.submitNanos : row.ttftNanos;
            row.tokens += tokens;
        }
    }

    @Override
    protected void onRequeued(final RequeuedDecoder requeued)
    {
        final Row row = live.get(requeued.requestId());
        if (row == null)
        {
            return;
        }
        // If the step of the admission was withdrawn, the request has not used the matched blocks.
        row.matchedBlocks = row.landed ? row.matchedBlocks : Row.NONE;
        if (requeued.reason() == RequeueReason.PREEMPTED)
        {
            row.preemptions++;
        }
        else
        {
            row.restarts++;
        }
    }

    @Override
    protected void onPaused(final PausedDecoder paused)
    {
        final Row row = live.get(paused.requestId());
        if (row != null)
        {
            row.pauses++;
        }
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        final Row row = live.remove(end.requestId());
        if (row != null)
        {
            row.end = label(end.reason());
            row.nanos = nowNanos() - row.submitNanos;
            list(row);
        }
    }

    @Override
    void finish()
    {
        final List<Row> unfinished = new ArrayList<>(live.values());
        unfinished.sort(Comparator.comparingLong(row -> row.id));
        unfinished.forEach(this::list);
        final List<Row> slow = new ArrayList<>(slowest);
        slow.sort(FASTEST_FIRST.reversed());
        slow.forEach(row -> row(row.values()));
    }

    private void list(final Row row)
    {
        if (!isWanted(row))
        {
            return;
        }
        if (filter.slowest() == 0)
        {
            row(row.values());
            return;
        }
        row.nanos = row.nanos < 0 ? nowNanos() - row.submitNanos : row.nanos;
        slowest.add(row);
        if (slowest.size() > filter.slowest())
        {
            slowest.remove();
        }
    }

    private boolean isWanted(final Row row)
    {
        return (filter.ends() == null || (row.end.equals(filter.ends()) || row.end.startsWith(filter.ends() + ": "))) &&
            (!filter.preempted() || row.preemptions > 0) &&
            (filter.rank() < 0 || filter.rank() == row.rank) &&
            (filter.conversation() == null || filter.conversation() == row.conversation) &&
            filter.submitted().has(row.submitNanos);
    }
}
