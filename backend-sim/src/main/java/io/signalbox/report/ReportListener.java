// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.report.RunReport.RankOccupancy;
import io.signalbox.report.RunReport.RankPrefixCache;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RequestState;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import io.signalbox.stats.FirstTokenTimes;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Collects a {@link RunReport} from the events of a run. Rows of CHUNKED completions are not in them and come through
 * {@link #onChunkedRows} or {@link #beside}.
 */
public final class ReportListener implements RunListener
{
    private static final double NANOS_PER_SECOND = 1e9;

    private final int blockSizeTokens;
    private final int poolBlocks;
    private long live;
    /** The tenant of the Submit that is being read; {@code null}: none. */
    private TenantRecord asked;
    /** Of live requests that name one. */
    private final Long2ObjectHashMap<TenantRecord> tenantOf = new Long2ObjectHashMap<>();
    private long computeNanos;
    /** Rows of a journaled group that are not in it. */
    private DirectBuffer rowsBeside;
    private int besideCount;
    private DirectBuffer inlineRows;
    private int inlineOffset;
    private int inlineCount;
    private final RankRecord[] ranks;
    private final PlacementCounts placements;
    private final LatencyRecorder ttft = new LatencyRecorder();
    private final FirstTokenTimes firstTokens = new FirstTokenTimes();
    private final LatencyRecorder[] ttftParts = new LatencyRecorder[FirstTokenTimes.Part.COUNT];
    private final LatencyRecorder tpot = new LatencyRecorder();
    private final LatencyRecorder itl = new LatencyRecorder();
    private final LatencyRecorder e2e = new LatencyRecorder();
    private final ExpertLoad inlineLoad;
    private final ExpertLoad chunkedLoad;
    private long nowNanos;
    /** The time of the first Submit. Figures count from it, not from the start of the clock or of a trace. */
    private long originNanos = RunRequest.UNKNOWN;
    private long submitted;
    private final EndCounts ends = new EndCounts();
    private long steps;
    private long emptySteps;
    private long deadEntries;
    private long acceptedDrafts;
    private long draftsAfterStop;
    private long rejectedDrafts;
    private long preemptions;
    private long pauses;
    private final TreeMap<String, TenantRecord> tenants = new TreeMap<>();
    private long evictions;
    private int mostRequests;
    private long outputTokens;
    private long capturedRows;
    private long inheritedRows;
    private long missingRows;
    private final WeightFigures weights = new WeightFigures();
    /** {@code null} if goodput is not asked for. */
    private GoodputRecord goodput;
    private ServiceLevel level;

    public ReportListener(final SchedulerConfig config)
    {
        this(config, config.router().label(), config.router().deciding(false).label());
    }

    /** @param fallback the label of the router that decides without prefix caching; neither need be installed. */
    public ReportListener(final SchedulerConfig config, final String router, final String fallback)
    {
        blockSizeTokens = config.blockSizeTokens();
        // The dummy block is never handed out.
        poolBlocks = config.kvBlocks() - 1;
        ranks = new RankRecord[config.ranks()];
        Arrays.setAll(ranks, RankRecord::new);
        placements = new PlacementCounts(router, fallback);
        Arrays.setAll(ttftParts, part -> new LatencyRecorder());
        inlineLoad = config.capture() == null ? null : new ExpertLoad(config.capture());
        chunkedLoad = config.capture() == null ? null : new ExpertLoad(config.capture());
    }

    /** Reports the requests that met a service level as well; {@code null}: not asked for. */
    public ReportListener judging(final ServiceLevel asked)
    {
        level = asked;
        goodput = asked == null ? null : new GoodputRecord(asked, ranks.length);
        return this;
    }

    /** Requests that had not ended count as submitted. */
    @Override
    public void onState(final FoldedState state)
    {
        nowNanos = state.timeNanos();
        originNanos = nowNanos;
        for (final RequestState was : state.requests())
        {
            live += was.stage() == RequestState.Stage.FINISHED ? 0 : 1;
        }
        submitted = live;
        for (final RankRecord rank : ranks)
        {
            state.rank(rank.number()).open().forEach(step -> rank.device.begun(step.step(), step.plannedNanos()));
        }
    }

    private long elapsedNanos()
    {
        return originNanos == RunRequest.UNKNOWN ? 0 : nowNanos - originNanos;
    }

    @Override
    public void onGroup(final long timeNanos)
    {
        nowNanos = timeNanos;
        computeNanos = 0;
        inlineCount = 0;
        besideCount = 0;
    }

    /** The rows of the next group, if it is a CHUNKED completion of a journal; {@code null}: none. */
    public void beside(final DirectBuffer rows)
    {
        rowsBeside = rows;
    }

    /**
     * Counts rows of a committed step that travel outside their group. May be called from another thread than
     * the events, but not during {@link #report}.
     */
    public void onChunkedRows(final DirectBuffer rows, final int offset, final int rowCount)
    {
        chunkedLoad.add(rows, offset, rowCount);
    }

    @Override
    public void onSubmit(final SubmitDecoder request)
    {
        originNanos = originNanos == RunRequest.UNKNOWN ? nowNanos : originNanos;
        request.skipBlockHashes();
        asked = request.cacheKeyLength() == 0 ? null :
            tenants.computeIfAbsent(TenantRecord.key(request), TenantRecord::new);
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        submitted++;
        live++;
        firstTokens.onAccepted(request.id(), nowNanos);
        if (asked != null)
        {
            asked.submitted();
            tenantOf.put(request.id(), asked);
        }
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        submitted++;
        ends.refused();
        if (goodput != null)
        {
            goodput.failed(-1, asked);
        }
        if (asked != null)
        {
            asked.submitted();
        }
    }

    private TenantRecord tenant(final RunRequest request)
    {
        return tenantOf.isEmpty() ? null : tenantOf.get(request.id());
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        placements.onPlaced(decision);
    }

    @Override
    public void onStep(final StepView plan)
    {
        final RankRecord rank = ranks[plan.rank()];
        steps++;
        emptySteps += plan.tokens() == 0 ? 1 : 0;
        mostRequests = Math.max(mostRequests, plan.entryCount());
        rank.onStep(plan.tokens());
        rank.device.planned(plan.step(), nowNanos);
        evictions += plan.evictedCount();
        firstTokens.onSchedule(plan, nowNanos);
    }

    @Override
    public void onBlocksInUse(final int rank, final int blocksInUse, final int change)
    {
        ranks[rank].onBlocksInUse(blocksInUse, nowNanos);
    }

    @Override
    public void onForward(final ForwardDecoder launch)
    {
        ranks[launch.rank()].device.launched(launch.step(), launch.deviceTimeNanos());
        firstTokens.onForward(launch.rank(), launch.step(), nowNanos);
    }

    @Override
    public void onCompletion(final CompletionView completion)
    {
        computeNanos = completion.computeNanos();
        firstTokens.onCompletion(completion.rank(), completion.step(), nowNanos, computeNanos);
        besideCount = completion.isChunked() ? completion.rowCount() : 0;
        inlineCount = inlineLoad != null && completion.rowForm() == RowForm.INLINE ? completion.rowCount() : 0;
        if (inlineCount > 0)
        {
            inlineRows = completion.buffer();
            inlineOffset = completion.rowsOffset();
        }
    }

    /** A completion without a Commit came too late: the scheduler ignored it, and its rows are nobody's. */
    @Override
    public void onLanded(final RunStep step, final CommitView commit)
    {
        if (inlineCount > 0)
        {
            inlineLoad.add(inlineRows, inlineOffset, inlineCount);
            inlineCount = 0;
        }
        if (rowsBeside != null)
        {
            onChunkedRows(rowsBeside, 0, besideCount);
        }
        ranks[commit.rank()].device.completed(commit.step(), computeNanos, nowNanos);
        deadEntries += step.deadEntries();
        acceptedDrafts += step.acceptedDrafts();
        draftsAfterStop += step.draftsAfterStop();
        rejectedDrafts += step.rejectedDrafts();
    }

    @Override
    public void onAdmitted(final RunRequest request, final StepView plan, final int index)
    {
        if (request.isMatchedBy(plan))
        {
            ranks[plan.rank()].admitted(request, blockSizeTokens, 1);
        }
    }

    @Override
    public void onAdmissionWithdrawn(final RunRequest request)
    {
        ranks[request.admittedRank()].admitted(request, blockSizeTokens, -1);
    }

    @Override
    public void onFirstToken(final RunRequest request)
    {
        final long nanos = nowNanos - request.submitNanos();
        ttft.record(nanos);
        // Null if the Submit came before what is read.
        final long[] parts = firstTokens.onFirstToken(request.id(), nowNanos);
        for (int part = 0; parts != null && part < parts.length; part++)
        {
            ttftParts[part].record(parts[part]);
        }
        final TenantRecord tenant = tenant(request);
        if (tenant != null)
        {
            tenant.firstToken(nanos);
        }
    }

    @Override
    public void onTokens(final RunRequest request, final int count, final long sinceNanos)
    {
        outputTokens += count;
        if (sinceNanos != RunRequest.UNKNOWN)
        {
            itl.record(sinceNanos);
        }
        for (int left = count; left > 1; left--)
        {
            itl.record(0);
        }
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        weights.onRequeued(requeued);
        preemptions += requeued.reason() == RequeueReason.PREEMPTED ? 1 : 0;
    }

    @Override
    public void onWithdrawn(final RunStep step, final WithdrawnDecoder withdrawn)
    {
        firstTokens.onWithdrawn(withdrawn.rank(), withdrawn.step());
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        pauses++;
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder change)
    {
        weights.replaced();
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        live--;
        capturedRows += end.capturedRows();
        inheritedRows += end.inheritedRows();
        missingRows += end.missingRows();
        final FreeReason reason = end.reason();
        ends.add(reason);
        final TenantRecord tenant = tenant(request);
        if (reason == FreeReason.LENGTH || reason == FreeReason.STOP)
        {
            complete(request, tenant);
        }
        else if (reason != FreeReason.CANCELLED && goodput != null)
        {
            goodput.failed(request.admittedRank(), tenant);
        }
        firstTokens.onEnd(request.id());
        tenantOf.remove(request.id());
        weights.onFree(end);
    }

    private void complete(final RunRequest request, final TenantRecord tenant)
    {
        if (tenant != null)
        {
            tenant.completed(request);
        }
        e2e.record(nowNanos - request.submitNanos());
        if (request.tokens() > 1 && request.firstTokenNanos() != RunRequest.UNKNOWN)
        {
            tpot.record(request.tpotNanos());
        }
        if (goodput != null)
        {
            goodput.completed(request, tenant, nowNanos);
        }
    }

    private RunReport.FirstTokenParts firstTokenParts()
    {
        return new RunReport.FirstTokenParts(ttftParts[0].summary(), ttftParts[1].summary(), ttftParts[2].summary(),
            ttftParts[3].summary(), ttftParts[4].summary());
    }

    /** The figures up to now. */
    public RunReport report()
    {
        final double seconds = elapsedNanos() / NANOS_PER_SECOND;
        return new RunReport(
            ends.requests(submitted, live),
            new RunReport.Latencies(ttft.summary(), tpot.summary(), itl.summary(), e2e.summary(), firstTokenParts()),
            new RunReport.Throughput(
                seconds == 0.0 ? Double.NaN : ends.completed / seconds, seconds == 0.0 ? Double.NaN : outputTokens / seconds,
                outputTokens),
            goodput == null ? null : goodput.figures(elapsedNanos()),
            prefixCache(),
            steps(),
            inFlight(),
            tenants.values().stream().map(tenant -> tenant.tenant(level, elapsedNanos())).toList(),
            placements.placements(),
            null,
            weights.figures(),
            occupancy(),
            routedExperts(),
            elapsedNanos());
    }

    private RunReport.Steps steps()
    {
        final List<Long> tokens = Arrays.stream(ranks).map(RankRecord::stepTokens).toList();
        return new RunReport.Steps(
            steps, emptySteps, tokens.stream().mapToLong(Long::longValue).sum(), tokens, preemptions, pauses,
            evictions, mostRequests);
    }

    private RunReport.InFlight inFlight()
    {
        long computeNanos = 0;
        long idleNanos = 0;
        long gaps = 0;
        for (final RankRecord rank : ranks)
        {
            computeNanos += rank.device.computeNanos();
            idleNanos += rank.device.idleNanos();
            gaps += rank.device.gaps();
        }
        return new RunReport.InFlight(computeNanos, idleNanos, gaps, deadEntries, acceptedDrafts,
            draftsAfterStop, rejectedDrafts);
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
            matchedTokens, promptTokens, matchedBlocks, promptBlocks,
            Arrays.stream(ranks).mapToLong(RankRecord::generatedBlocks).sum(),
            Arrays.stream(ranks).mapToLong(RankRecord::pendingBlocks).sum(), perRank);
    }

    private List<RankOccupancy> occupancy()
    {
        return Arrays.stream(ranks).map(rank -> rank.occupancy(poolBlocks, nowNanos, elapsedNanos())).toList();
    }

    private RunReport.RowCounts routedExperts()
    {
        if (inlineLoad == null)
        {
            return new RunReport.RowCounts(capturedRows, inheritedRows, missingRows, false, null, List.of());
        }
        final ExpertLoad load = inlineLoad.plus(chunkedLoad);
        return new RunReport.RowCounts(
            capturedRows, inheritedRows, missingRows, load.hasCombineWeights(), load.overall(), load.layers());
    }
}
