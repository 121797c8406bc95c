// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.engine.GroupListener;
import io.signalbox.event.CommitView;
import io.signalbox.event.CommitWords;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.EntryVerdict;
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
import io.signalbox.stats.FirstTokenTimes;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Collects a {@link RunReport} from groups only, in their order. Rows of CHUNKED completions are not in the groups and
 * come through {@link #onChunkedRows}.
 */
public final class ReportListener implements GroupListener
{
    private static final double NANOS_PER_SECOND = 1e9;

    private final int blockSizeTokens;
    private final int poolBlocks;
    private final ReportEvents events = new ReportEvents();
    private final Long2ObjectHashMap<RequestRecord> live = new Long2ObjectHashMap<>();
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
    private long originNanos = RequestRecord.UNKNOWN;
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
    private long[] entryWords = new long[16 * CommitView.ENTRY_WORDS];

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

    /** Continues a run whose earlier groups are not at hand: requests that had not ended count as submitted. */
    public ReportListener behind(final FoldedState state)
    {
        nowNanos = state.timeNanos();
        originNanos = nowNanos;
        submitted = RequestRecord.begin(state, live, ranks);
        return this;
    }

    private long elapsedNanos()
    {
        return originNanos == RequestRecord.UNKNOWN ? 0 : nowNanos - originNanos;
    }

    @Override
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        // Different clocks may stamp the inputs; the time of a run never decreases.
        nowNanos = Math.max(nowNanos, GroupReader.inputTimeNanos(group, offset, length));
        events.readGroup(group, offset, length);
    }

    /**
     * Receives a group of a journal.
     *
     * @param rows those of a CHUNKED completion; {@code null}: none.
     */
    public void onJournaledGroup(final DirectBuffer group, final int length, final DirectBuffer rows)
    {
        events.rowsBeside = rows;
        onGroup(group, 0, length);
        events.rowsBeside = null;
    }

    /**
     * Counts rows of a committed step that travel outside their group. May be called from another thread than
     * {@link #onGroup}, but not during {@link #report}.
     */
    public void onChunkedRows(final DirectBuffer rows, final int offset, final int rowCount)
    {
        chunkedLoad.add(rows, offset, rowCount);
    }

    /** The events that carry a figure of the report. */
    private final class ReportEvents extends EventReader
    {
        private int promptTokens;
        private TenantRecord tenant;
        private long computeNanos;
        /** Rows of a journaled group that are not in it. */
        private DirectBuffer rowsBeside;
        private int besideCount;
        private DirectBuffer inlineRows;
        private int inlineOffset;
        private int inlineCount;

        @Override
        protected void onSubmit(final SubmitDecoder request)
        {
            originNanos = originNanos == RequestRecord.UNKNOWN ? nowNanos : originNanos;
            promptTokens = request.promptTokens();
            request.skipBlockHashes();
            tenant = request.cacheKeyLength() == 0 ? null :
                tenants.computeIfAbsent(TenantRecord.key(request), TenantRecord::new);
        }

        @Override
        protected void onForward(final ForwardDecoder launch)
        {
            ranks[launch.rank()].device.launched(launch.step(), launch.deviceTimeNanos());
            firstTokens.onForward(launch.rank(), launch.step(), nowNanos);
        }

        @Override
        protected void onD2hComplete(final CompletionView completion)
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

        @Override
        protected void onAccepted(final AcceptedDecoder answer)
        {
            submitted++;
            live.put(answer.requestId(), new RequestRecord(answer.requestId(), nowNanos, promptTokens, tenant));
            firstTokens.onAccepted(answer.requestId(), nowNanos);
            if (tenant != null)
            {
                tenant.submitted();
            }
        }

        @Override
        protected void onRefused(final RefusedDecoder answer)
        {
            submitted++;
            ends.refused();
            if (goodput != null)
            {
                goodput.failed(-1, tenant);
            }
            if (tenant != null)
            {
                tenant.submitted();
            }
        }

        @Override
        protected void onPlaced(final PlacedDecoder decision)
        {
            placements.onPlaced(decision);
        }

        @Override
        protected void onSchedule(final StepView step)
        {
            addStep(step);
            firstTokens.onSchedule(step, nowNanos);
        }

        @Override
        protected void onCommit(final CommitView step)
        {
            // A completion without a Commit came too late: the scheduler ignored it, and its rows are nobody's.
            if (inlineCount > 0)
            {
                inlineLoad.add(inlineRows, inlineOffset, inlineCount);
                inlineCount = 0;
            }
            if (rowsBeside != null)
            {
                onChunkedRows(rowsBeside, 0, besideCount);
            }
            ranks[step.rank()].device.completed(step.step(), computeNanos, nowNanos);
            addTokens(step);
        }

        @Override
        protected void onRequeued(final RequeuedDecoder requeued)
        {
            weights.onRequeued(requeued);
            preemptions += requeued.reason() == RequeueReason.PREEMPTED ? 1 : 0;
            final RequestRecord request = live.get(requeued.requestId());
            final RankRecord rank = ranks[requeued.rank()];
            rank.release(request, nowNanos);
            if (!request.landed)
            {
                request.admittedInStep = 0;
                rank.onFirstAdmissionWithdrawn(request, blockSizeTokens);
            }
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder step)
        {
            firstTokens.onWithdrawn(step.rank(), step.step());
        }

        @Override
        protected void onPaused(final PausedDecoder paused)
        {
            pauses++;
        }

        @Override
        protected void onNewWeights(final NewWeightsDecoder change)
        {
            weights.replaced();
        }

        @Override
        protected void onFree(final FreeDecoder end)
        {
            addEnd(end);
            weights.onFree(end);
        }
    }

    private void addStep(final StepView plan)
    {
        final RankRecord rank = ranks[plan.rank()];
        steps++;
        emptySteps += plan.tokens() == 0 ? 1 : 0;
        mostRequests = Math.max(mostRequests, plan.entryCount());
        rank.onStep(plan.tokens());
        rank.device.planned(plan.step(), nowNanos);
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            final RequestRecord request = live.get(plan.admittedRequestId(i));
            request.rank = plan.rank();
            if (request.admittedInStep == 0)
            {
                request.admittedInStep = plan.step();
                request.admittedOnRank = plan.rank();
                rank.onFirstAdmission(request, plan.matchedBlocks(i), blockSizeTokens);
            }
        }
        evictions += plan.evictedCount();
        for (int i = 0; i < plan.changeCount(); i++)
        {
            addBlock(plan, i, rank, live.get(plan.changeRequestId(i)));
        }
    }

    private void addBlock(final StepView plan, final int change, final RankRecord rank, final RequestRecord request)
    {
        final int block = plan.changeBlockId(change);
        request.blocks.addInt(block);
        rank.hold(block, nowNanos);
        if (!plan.changeIsMatch(change))
        {
            rank.onAllocated(block);
        }
        else if (request.admittedInStep == plan.step() && request.admittedOnRank == plan.rank())
        {
            rank.onMatched(request, block, plan.changeIsPendingMatch(change));
        }
    }

    private void addTokens(final CommitView step)
    {
        final RankRecord rank = ranks[step.rank()];
        final int count = step.entryCount();
        if (count * CommitView.ENTRY_WORDS > entryWords.length)
        {
            entryWords = new long[2 * count * CommitView.ENTRY_WORDS];
        }
        step.copyEntries(entryWords);
        for (int entry = 0; entry < count; entry++)
        {
            final int word = entry * CommitView.ENTRY_WORDS;
            final int counts = (int)entryWords[word + 2];
            final int emitted = CommitWords.emitted(counts);
            deadEntries += CommitWords.isVerdict(counts, EntryVerdict.DEAD) ? 1 : 0;
            // The first token is sampled, and the rest are drafts. After a stop token they are accepted, but not emitted.
            final int sampled = emitted + CommitWords.afterStop(counts);
            acceptedDrafts += Math.max(0, emitted - 1);
            draftsAfterStop += Math.max(0, sampled - Math.max(1, emitted));
            rejectedDrafts += CommitWords.rejected(counts);
            if (CommitWords.high(entryWords[word + 1]) > 0)
            {
                final RequestRecord request = request(rank, entry, entryWords[word]);
                request.landed = true;
                for (int left = emitted; left > 0; left--)
                {
                    onToken(request);
                }
            }
        }
        for (int i = 0; i < step.registeredCount(); i++)
        {
            if (step.registeredGenerated(i))
            {
                rank.onGenerated(step.registeredBlockId(i));
            }
        }
    }

    private RequestRecord request(final RankRecord rank, final int entry, final long requestId)
    {
        final RequestRecord last = rank.lastEntry(entry);
        if (last != null && last.requestId == requestId && !last.ended)
        {
            return last;
        }
        final RequestRecord request = live.get(requestId);
        rank.lastEntry(entry, request);
        return request;
    }

    private void onToken(final RequestRecord request)
    {
        outputTokens++;
        if (request.tokens++ == 0)
        {
            request.firstTokenNanos = nowNanos;
            ttft.record(nowNanos - request.submitNanos);
            addParts(firstTokens.onFirstToken(request.requestId, nowNanos));
            if (request.tenant != null)
            {
                request.tenant.firstToken(nowNanos - request.submitNanos);
            }
        }
        else if (request.lastTokenNanos != RequestRecord.UNKNOWN)
        {
            itl.record(nowNanos - request.lastTokenNanos);
        }
        request.lastTokenNanos = nowNanos;
    }

    /** @param parts {@code null}: the Submit came before what is read. */
    private void addParts(final long[] parts)
    {
        for (int part = 0; parts != null && part < parts.length; part++)
        {
            ttftParts[part].record(parts[part]);
        }
    }

    private RunReport.FirstTokenParts firstTokenParts()
    {
        return new RunReport.FirstTokenParts(ttftParts[0].summary(), ttftParts[1].summary(), ttftParts[2].summary(),
            ttftParts[3].summary(), ttftParts[4].summary());
    }

    private void addEnd(final FreeDecoder end)
    {
        firstTokens.onEnd(end.requestId());
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
        ends.add(reason);
        if (reason == FreeReason.LENGTH || reason == FreeReason.STOP)
        {
            if (request.tenant != null)
            {
                request.tenant.completed(request);
            }
            e2e.record(nowNanos - request.submitNanos);
            if (request.tokens > 1 && request.firstTokenNanos != RequestRecord.UNKNOWN)
            {
                tpot.record(request.tpotNanos());
            }
            if (goodput != null)
            {
                goodput.completed(request, nowNanos);
            }
        }
        else if (reason != FreeReason.CANCELLED && goodput != null)
        {
            goodput.failed(request.rank, request.tenant);
        }
    }

    /** The figures up to now. */
    public RunReport report()
    {
        final double seconds = elapsedNanos() / NANOS_PER_SECOND;
        return new RunReport(
            ends.requests(submitted, live.size()),
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
