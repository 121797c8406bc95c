// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.engine.GroupListener;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.report.RunReport.RankOccupancy;
import io.signalbox.report.RunReport.RankPrefixCache;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Collects a {@link RunReport} from groups only, in their order. Rows of CHUNKED completions are not in the groups and
 * come through {@link #onChunkedRows}.
 */
public final class ReportListener implements GroupListener
{
    private static final int NO_TOKEN = -1;
    private static final double NANOS_PER_SECOND = 1e9;

    private final int blockSizeTokens;
    private final int poolBlocks;
    private final GroupReader reader = new GroupReader();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final SubmitDecoder submit = new SubmitDecoder();
    private final AcceptedDecoder accepted = new AcceptedDecoder();
    private final D2hCompleteDecoder d2hComplete = new D2hCompleteDecoder();
    private final PlacedDecoder placed = new PlacedDecoder();
    private final ScheduleDecoder schedule = new ScheduleDecoder();
    private final CommitDecoder commit = new CommitDecoder();
    private final RequeuedDecoder requeued = new RequeuedDecoder();
    private final FreeDecoder free = new FreeDecoder();
    private final Long2ObjectHashMap<RequestRecord> live = new Long2ObjectHashMap<>();
    private final RankRecord[] ranks;
    private final PlacementCounts placements;
    private final LatencyRecorder ttft = new LatencyRecorder();
    private final LatencyRecorder tpot = new LatencyRecorder();
    private final LatencyRecorder itl = new LatencyRecorder();
    private final LatencyRecorder e2e = new LatencyRecorder();
    private final ExpertLoad inlineLoad;
    private final ExpertLoad chunkedLoad;
    private long nowNanos;
    private long submitted;
    private long completed;
    private long cancelled;
    private long failed;
    private long refused;
    private long steps;
    private long emptySteps;
    private long preemptions;
    private long evictions;
    private long outputTokens;
    private long capturedRows;
    private long inheritedRows;
    private long missingRows;

    public ReportListener(final SchedulerConfig config)
    {
        blockSizeTokens = config.blockSizeTokens();
        // The dummy block is never handed out.
        poolBlocks = config.kvBlocks() - 1;
        ranks = new RankRecord[config.ranks()];
        Arrays.setAll(ranks, RankRecord::new);
        placements = new PlacementCounts(config.router());
        inlineLoad = config.capture() == null ? null : new ExpertLoad(config.capture());
        chunkedLoad = config.capture() == null ? null : new ExpertLoad(config.capture());
    }

    @Override
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        reader.wrap(group, offset, length);
        if (reader.next())
        {
            // Every input starts with its time.
            nowNanos = group.getLong(reader.offset() + MessageHeaderDecoder.ENCODED_LENGTH, ByteOrder.LITTLE_ENDIAN);
            onInput(group);
        }
        while (reader.next())
        {
            onOutput(group);
        }
    }

    /**
     * Counts rows that travel outside their group. May be called from another thread than {@link #onGroup}, but not
     * during {@link #report}.
     */
    public void onChunkedRows(final DirectBuffer rows, final int offset, final int rowCount)
    {
        chunkedLoad.add(rows, offset, rowCount);
    }

    private void onInput(final DirectBuffer group)
    {
        switch (reader.templateId())
        {
            case SubmitDecoder.TEMPLATE_ID -> submit.wrapAndApplyHeader(group, reader.offset(), header);
            case D2hCompleteDecoder.TEMPLATE_ID -> onD2hComplete(group);
            default ->
            {
                // The other inputs show in their outputs.
            }
        }
    }

    private void onD2hComplete(final DirectBuffer group)
    {
        d2hComplete.wrapAndApplyHeader(group, reader.offset(), header);
        if (d2hComplete.rowForm() == RowForm.INLINE)
        {
            final D2hCompleteDecoder.SampledDecoder sampled = d2hComplete.sampled();
            d2hComplete.limit(d2hComplete.limit() + sampled.count() * sampled.actingBlockLength());
            final int rowsOffset = d2hComplete.limit() + D2hCompleteDecoder.rowsHeaderLength();
            inlineLoad.add(group, rowsOffset, d2hComplete.rowCount());
        }
    }

    private void onOutput(final DirectBuffer group)
    {
        switch (reader.templateId())
        {
            case AcceptedDecoder.TEMPLATE_ID ->
            {
                accepted.wrapAndApplyHeader(group, reader.offset(), header);
                submitted++;
                final long requestId = accepted.requestId();
                live.put(requestId, new RequestRecord(requestId, nowNanos, submit.promptTokens()));
            }
            case RefusedDecoder.TEMPLATE_ID ->
            {
                submitted++;
                refused++;
            }
            case PlacedDecoder.TEMPLATE_ID ->
                placements.onPlaced(placed.wrapAndApplyHeader(group, reader.offset(), header));
            case ScheduleDecoder.TEMPLATE_ID -> onSchedule(schedule.wrapAndApplyHeader(group, reader.offset(), header));
            case CommitDecoder.TEMPLATE_ID -> onCommit(commit.wrapAndApplyHeader(group, reader.offset(), header));
            case RequeuedDecoder.TEMPLATE_ID ->
                onRequeued(requeued.wrapAndApplyHeader(group, reader.offset(), header));
            case FreeDecoder.TEMPLATE_ID -> onFree(free.wrapAndApplyHeader(group, reader.offset(), header));
            default ->
            {
                // Digests carry no figure of the report.
            }
        }
    }

    private void onSchedule(final ScheduleDecoder plan)
    {
        final RankRecord rank = ranks[plan.rank()];
        steps++;
        emptySteps += plan.tokens() == 0 ? 1 : 0;
        rank.onStep(plan.tokens());
        final ScheduleDecoder.PreemptedDecoder preempted = plan.preempted();
        while (preempted.hasNext())
        {
            preemptions++;
            rank.release(live.get(preempted.next().requestId()), nowNanos);
        }
        final ScheduleDecoder.AdmittedDecoder admitted = plan.admitted();
        while (admitted.hasNext())
        {
            admitted.next();
            final RequestRecord request = live.get(admitted.requestId());
            request.rank = plan.rank();
            if (admitted.resumed() == Flag.NO)
            {
                rank.onFirstAdmission(request, admitted.matchedBlocks(), blockSizeTokens);
            }
        }
        final ScheduleDecoder.EvictedDecoder evicted = plan.evicted();
        evictions += evicted.count();
        plan.limit(plan.limit() + evicted.count() * evicted.actingBlockLength());
        final ScheduleDecoder.TableChangesDecoder change = plan.tableChanges();
        while (change.hasNext())
        {
            change.next();
            live.get(change.requestId()).blocks.addInt(change.blockId());
            rank.hold(change.blockId(), nowNanos);
        }
    }

    private void onRequeued(final RequeuedDecoder failed)
    {
        ranks[failed.rank()].release(live.get(failed.requestId()), nowNanos);
    }

    private void onCommit(final CommitDecoder step)
    {
        final RankRecord rank = ranks[step.rank()];
        final CommitDecoder.RowsDecoder rows = step.rows();
        final int count = rows.count();
        for (int row = 0; row < count; row++)
        {
            rows.next();
            if (rows.emittedTokenId() != NO_TOKEN)
            {
                onToken(request(rank, row, rows.requestId()));
            }
        }
    }

    private RequestRecord request(final RankRecord rank, final int row, final long requestId)
    {
        final RequestRecord last = rank.lastRow(row);
        if (last != null && last.requestId == requestId && !last.ended)
        {
            return last;
        }
        final RequestRecord request = live.get(requestId);
        rank.lastRow(row, request);
        return request;
    }

    private void onToken(final RequestRecord request)
    {
        outputTokens++;
        if (request.tokens++ == 0)
        {
            request.firstTokenNanos = nowNanos;
            ttft.record(nowNanos - request.submitNanos);
        }
        else
        {
            itl.record(nowNanos - request.lastTokenNanos);
        }
        request.lastTokenNanos = nowNanos;
    }

    private void onFree(final FreeDecoder end)
    {
        final RequestRecord request = live.remove(end.requestId());
        request.ended = true;
        if (request.rank >= 0)
        {
            ranks[request.rank].release(request, nowNanos);
        }
        capturedRows += end.capturedRows();
        inheritedRows += end.inheritedRows();
        missingRows += end.missingRows();
        final FreeReason reason = end.reason();
        if (reason == FreeReason.LENGTH || reason == FreeReason.STOP)
        {
            completed++;
            e2e.record(nowNanos - request.submitNanos);
            if (request.tokens > 1)
            {
                tpot.record((request.lastTokenNanos - request.firstTokenNanos) / (request.tokens - 1));
            }
        }
        else if (reason == FreeReason.CANCELLED)
        {
            cancelled++;
        }
        else
        {
            failed++;
        }
    }

    /** The figures up to now. */
    public RunReport report()
    {
        final double seconds = nowNanos / NANOS_PER_SECOND;
        return new RunReport(
            new RunReport.Requests(submitted, completed, cancelled, failed + refused, refused, live.size()),
            new RunReport.Latency(ttft.summary(), tpot.summary(), itl.summary(), e2e.summary()),
            new RunReport.Throughput(
                seconds == 0.0 ? 0.0 : completed / seconds, seconds == 0.0 ? 0.0 : outputTokens / seconds, outputTokens),
            prefixCache(),
            steps(),
            placements.placements(),
            occupancy(),
            routedExperts(),
            nowNanos);
    }

    private RunReport.Steps steps()
    {
        final List<Long> tokens = Arrays.stream(ranks).map(RankRecord::stepTokens).toList();
        return new RunReport.Steps(
            steps, emptySteps, tokens.stream().mapToLong(Long::longValue).sum(), tokens, preemptions, evictions);
    }

    private RunReport.PrefixCache prefixCache()
    {
        final long matchedTokens = Arrays.stream(ranks).mapToLong(RankRecord::matchedTokens).sum();
        final long promptTokens = Arrays.stream(ranks).mapToLong(RankRecord::promptTokens).sum();
        final long matchedBlocks = Arrays.stream(ranks).mapToLong(RankRecord::matchedBlocks).sum();
        final long promptBlocks = Arrays.stream(ranks).mapToLong(RankRecord::promptBlocks).sum();
        final List<RankPrefixCache> perRank = Arrays.stream(ranks).map(RankRecord::prefixCache).toList();
        return new RunReport.PrefixCache(
            RankRecord.rate(matchedTokens, promptTokens), RankRecord.rate(matchedBlocks, promptBlocks),
            matchedTokens, promptTokens, matchedBlocks, promptBlocks, perRank);
    }

    private List<RankOccupancy> occupancy()
    {
        return Arrays.stream(ranks).map(rank -> rank.occupancy(poolBlocks, nowNanos)).toList();
    }

    private RunReport.RoutedExperts routedExperts()
    {
        if (inlineLoad == null)
        {
            return new RunReport.RoutedExperts(capturedRows, inheritedRows, missingRows, null, List.of());
        }
        final ExpertLoad load = inlineLoad.plus(chunkedLoad);
        return new RunReport.RoutedExperts(capturedRows, inheritedRows, missingRows, load.overall(), load.layers());
    }
}
