// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.report.ServiceLevel;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RankState;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.StateFold;
import org.agrona.DirectBuffer;

import java.util.List;

/**
 * Lists the figures of a run over time: in each interval a row for the whole run and one for each rank, also if nothing
 * happened. Requests count in the interval of the event, and a request's first admission is taken back in the interval in
 * which its step is withdrawn; so the sums over all intervals are the figures of the report. Waiting and running requests
 * and KV blocks are those at the end of the interval, or of the journal.
 */
public final class SeriesQuery extends JournalQuery
{
    /** Names the rows of the whole run. */
    public static final String WHOLE = "all";
    private static final double NANOS_PER_SECOND = 1e9;

    private final long intervalNanos;
    private final Intervals intervals;
    private final TimeWindow window;
    /** {@code null}: goodput is not asked for. */
    private final ServiceLevel level;
    /** {@code null}: the rows of all ranks and of the whole run. */
    private final String only;
    private FoldedState state;
    private int blockSizeTokens;
    private long poolBlocks;
    private SeriesInterval[] ranks;
    private SeriesInterval whole;
    private long now;

    /**
     * A row of {@code inspect series JOURNAL --json}: in each interval one for the whole run and one for each rank.
     *
     * @param fromNanos       logical time at which the interval begins
     * @param rank            {@code all}, or the number of a rank
     * @param arrivals        submitted requests; of a rank: placements on it
     * @param completed       requests that ended by length or stop token
     * @param cancelled       requests that their client cancelled
     * @param missedDeadlines requests that ended by their deadline
     * @param abortedByNewWeights requests that ended because the weights were replaced
     * @param failed          requests that ended because too many of their steps failed, or no rank was left
     * @param refused         requests that the scheduler refused; of a rank: 0
     * @param waiting         waiting requests at the end of the interval; of a rank: requests placed on it
     * @param running         requests with KV blocks at the end of the interval
     * @param promptTokens    prompt tokens of requests that were admitted for the first time, less those of first admissions
     *                        whose step was withdrawn
     * @param matchedTokens   cached tokens of these prompts
     * @param hitRate         matched over prompt tokens, 0 to 1; {@code null} without prompt tokens
     * @param emitted         tokens that became visible
     * @param kvUse           KV blocks with an owner over all KV blocks at the end of the interval, 0 to 1
     * @param ttftP50Nanos    median time to first token of requests whose first token came in the interval; {@code null}
     *                        without one
     * @param ttftP99Nanos    99th percentile of it; {@code null} without one
     * @param tpotP50Nanos    median time per output token of requests that completed in the interval; {@code null} without
     *                        one
     * @param tpotP99Nanos    99th percentile of it; {@code null} without one
     * @param goodputRequests requests that completed in the interval within the limits of {@code --slo}; {@code null}
     *                        without {@code --slo}
     * @param goodputPerSecond the same per second; {@code null} without {@code --slo}
     */
    @DocumentSchema("signalbox.inspect-series/1")
    public record SeriesRow(
        @JsonName("fromSeconds") long fromNanos,
        String rank,
        long arrivals,
        long completed,
        long cancelled,
        long missedDeadlines,
        long abortedByNewWeights,
        long failed,
        long refused,
        long waiting,
        long running,
        long promptTokens,
        long matchedTokens,
        Double hitRate,
        long emitted,
        double kvUse,
        Long ttftP50Nanos,
        Long ttftP99Nanos,
        Long tpotP50Nanos,
        Long tpotP99Nanos,
        Long goodputRequests,
        Double goodputPerSecond)
    {
    }

    /**
     * @param intervalNanos at least 1.
     * @param window        intervals that overlap it are listed.
     * @param level         the service level of goodput; {@code null}: goodput is not asked for.
     * @param only          the number of a rank, or {@link #WHOLE}, whose rows are listed; {@code null}: all of them.
     */
    public SeriesQuery(final long intervalNanos, final TimeWindow window, final ServiceLevel level, final String only)
    {
        this.only = only;
        this.intervalNanos = intervalNanos;
        intervals = new Intervals(intervalNanos, this::list);
        this.window = window;
        this.level = level;
    }

    @Override
    public Class<SeriesRow> rowType()
    {
        return SeriesRow.class;
    }

    @Override
    void begin(final JournalReader journal)
    {
        if (only != null && !only.equals(WHOLE))
        {
            requireRank(journal, Integer.parseInt(only));
        }
        blockSizeTokens = journal.setting(SchedulerConfig.BLOCK_SIZE_TOKENS);
        // The dummy block is never handed out.
        poolBlocks = journal.setting(SchedulerConfig.KV_BLOCKS) - 1L;
        state = ahead() != null ? ahead() : new FoldedState(journal.stateShape());
        ranks = new SeriesInterval[journal.ranks()];
        clear();
    }

    private void clear()
    {
        whole = new SeriesInterval();
        for (int i = 0; i < ranks.length; i++)
        {
            ranks[i] = new SeriesInterval();
        }
    }

    @Override
    List<RunListener> listeners()
    {
        return List.of(new StateFold(state), this);
    }

    @Override
    void beginGroup()
    {
        now = intervals.advance(nowNanos());
    }

    @Override
    void finish()
    {
        intervals.finish();
    }

    private void list()
    {
        if (intervals.overlaps(window))
        {
            long waiting = state.queue().size();
            long running = 0;
            long owned = 0;
            for (int i = 0; i < ranks.length; i++)
            {
                waiting += state.rank(i).waiting().size();
                running += state.rank(i).running().size();
                owned += state.rank(i).blocks().owned();
            }
            row(WHOLE, whole, waiting, running, (double)owned / (ranks.length * poolBlocks));
            for (int i = 0; i < ranks.length; i++)
            {
                final RankState rank = state.rank(i);
                row(Integer.toString(i), ranks[i], rank.waiting().size(), rank.running().size(),
                    (double)rank.blocks().owned() / poolBlocks);
            }
        }
        clear();
    }

    private void row(
        final String name, final SeriesInterval of, final long waiting, final long running, final double kvUse)
    {
        if (only != null && !only.equals(name))
        {
            return;
        }
        final boolean judged = level != null;
        row(new SeriesRow(intervals.start(), name, of.arrivals, of.completed, of.cancelled, of.missedDeadlines,
            of.abortedByNewWeights, of.failed, of.refused, waiting, running, of.promptTokens, of.matchedTokens,
            of.hitRate(), of.emitted, kvUse, of.ttft.p50(), of.ttft.p99(), of.tpot.p50(), of.tpot.p99(),
            judged ? (Long)of.withinLimits : null,
            judged ? (Double)(of.withinLimits * NANOS_PER_SECOND / intervalNanos) : null));
    }

    @Override
    void read(final DirectBuffer group, final int length)
    {
        fold(group, length, now);
    }

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        whole.arrivals++;
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        whole.refused++;
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        ranks[decision.rank()].arrivals++;
    }

    @Override
    public void onAdmitted(final RunRequest request, final StepView plan, final int index)
    {
        if (request.isMatchedBy(plan))
        {
            admit(request, 1);
        }
    }

    @Override
    public void onAdmissionWithdrawn(final RunRequest request)
    {
        admit(request, -1);
    }

    private void admit(final RunRequest request, final int sign)
    {
        for (final SeriesInterval interval : List.of(whole, ranks[request.admittedRank()]))
        {
            interval.promptTokens += sign * (long)request.promptTokens();
            interval.matchedTokens += sign * (long)request.matchedBlocks() * blockSizeTokens;
        }
    }

    @Override
    public void onFirstToken(final RunRequest request)
    {
        whole.ttft.record(now - request.submitNanos());
        ranks[request.admittedRank()].ttft.record(now - request.submitNanos());
    }

    @Override
    public void onTokens(final RunRequest request, final int count, final long sinceNanos)
    {
        whole.emitted += count;
        ranks[request.admittedRank()].emitted += count;
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        final SeriesInterval rank = end.rank() >= 0 && end.rank() < ranks.length ? ranks[end.rank()] : null;
        whole.end(end.reason(), request, level, now);
        if (rank != null)
        {
            rank.end(end.reason(), request, level, now);
        }
    }
}
