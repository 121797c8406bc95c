// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.AcceptedEncoder;
import io.signalbox.event.codec.CommitEncoder;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeEncoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.MatchGate;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.PausedEncoder;
import io.signalbox.event.codec.PlacedEncoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedEncoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedEncoder;
import io.signalbox.event.codec.ScheduleEncoder;
import io.signalbox.event.codec.TieRule;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.RunFold;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.DirectBuffer;
import org.agrona.sbe.MessageEncoderFlyweight;

import java.util.ArrayList;
import java.util.List;

/** A run that a test writes event by event; each event is a separate group. */
final class ToldRun
{
    private static final int BLOCK_TOKENS = 16;
    private static final byte[] NO_BYTES = {};

    private final InputWriter inputs = new InputWriter();
    private final GroupWriter group = new GroupWriter(256);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final RunCollector collector = new RunCollector(BLOCK_TOKENS, FoldedMatches.none(), false);
    private final RunFold fold = RunFold.within(collector);
    private final List<WorkloadRequest> requests = new ArrayList<>();
    private long steps;

    private void tell(final MessageEncoderFlyweight output)
    {
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + output.encodedLength());
        fold.onGroup(group.buffer(), 0, group.length());
    }

    private void begin(final long nanos)
    {
        inputs.tick().timeNanos(nanos);
        beginGroup();
    }

    private void beginGroup()
    {
        group.reset();
        group.append(inputs.buffer(), 0, inputs.length());
    }

    private void beginSubmit(final long requestId, final long nanos)
    {
        requests.add(WorkloadRequest.arriving(requestId, nanos, 40, 20));
        inputs.submit().timeNanos(nanos).requestId(requestId).conversationId(-1).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(-1).samplingSeed(0).promptTokens(40).maxNewTokens(20).rowsFrom(-1).priority(0)
            .rankHint(-1).temperature(0).topP(1).rankHintRelaxed(Flag.NO).putBlockHashes(NO_BYTES, 0, 0)
            .putCacheKey(NO_BYTES, 0, 0).putTokens(NO_BYTES, 0, 0).putHashChain(NO_BYTES, 0, 0)
            .putStopTokens(NO_BYTES, 0, 0);
        beginGroup();
    }

    ToldRun accepted(final long requestId, final long nanos)
    {
        beginSubmit(requestId, nanos);
        tell(new AcceptedEncoder().wrapAndApplyHeader(group.buffer(), group.begin(), header).requestId(requestId));
        return this;
    }

    ToldRun refused(final long requestId, final long nanos, final RefusalReason reason)
    {
        beginSubmit(requestId, nanos);
        tell(new RefusedEncoder().wrapAndApplyHeader(group.buffer(), group.begin(), header).requestId(requestId)
            .reason(reason));
        return this;
    }

    ToldRun placed(final long requestId, final long nanos, final int rank)
    {
        begin(nanos);
        final PlacedEncoder placed = new PlacedEncoder().wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .requestId(requestId).normaliser(0).rank(rank).target(0).decidedBy(DecidingRouter.CONFIGURED)
            .gate(MatchGate.NONE).tieRule(TieRule.NONE);
        placed.candidatesCount(0);
        tell(placed);
        return this;
    }

    ToldRun admitted(final long requestId, final long nanos, final int matchedBlocks)
    {
        begin(nanos);
        final ScheduleEncoder plan = new ScheduleEncoder().wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .step(++steps).epoch(0).rank(0).tokens(0).weightGeneration(0);
        plan.admittedCount(1).next().requestId(requestId).matchedBlocks(matchedBlocks).resumed(Flag.NO);
        plan.evictedCount(0);
        plan.tableChangesCount(0);
        plan.pendingCount(0);
        plan.entriesCount(0);
        tell(plan);
        return this;
    }

    ToldRun token(final long requestId, final long nanos)
    {
        begin(nanos);
        final CommitEncoder commit = new CommitEncoder().wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .step(steps).epoch(0).rank(0).missingRows(0).impossibleRows(0);
        commit.entriesCount(1).next().requestId(requestId).start(0).advance(40).rejected((short)0).afterStop((short)0)
            .emitted((short)1).verdict(EntryVerdict.LIVE);
        commit.tokensCount(1).next().tokenId(7);
        commit.spansCount(0);
        commit.registeredCount(0);
        commit.logprobsCount(0);
        tell(commit);
        return this;
    }

    ToldRun paused(final long requestId, final long nanos)
    {
        begin(nanos);
        tell(new PausedEncoder().wrapAndApplyHeader(group.buffer(), group.begin(), header).requestId(requestId).rank(0)
            .blocks(1));
        return this;
    }

    ToldRun preempted(final long requestId, final long nanos)
    {
        begin(nanos);
        final RequeuedEncoder requeued = new RequeuedEncoder().wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .requestId(requestId).rank(0).reason(RequeueReason.PREEMPTED);
        requeued.releasedCount(0);
        tell(requeued);
        return this;
    }

    ToldRun ended(final long requestId, final long nanos, final FreeReason reason, final int generatedTokens)
    {
        begin(nanos);
        final FreeEncoder free = new FreeEncoder().wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .requestId(requestId).rowsDigest(0).rank(0).generatedTokens(generatedTokens).capturedRows(0).inheritedRows(0)
            .missingRows(0).impossibleRows(0).computedTokens(40).fenceStep(0).failedStep(0).failedRank(-1).reason(reason);
        free.releasedCount(0);
        free.weightSpansCount(0);
        free.failure("");
        tell(free);
        return this;
    }

    /** The outcomes of the requests. */
    RunOutcome outcome()
    {
        return new RunOutcome(null, collector, new RecordedWorkload(requests, new DirectBuffer[requests.size()], null,
            new RecordedWorkload.Traits(false, false, BLOCK_TOKENS, 0)));
    }
}
