// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.BatchListener;
import io.signalbox.batch.Request;
import io.signalbox.batch.RequeueCause;
import io.signalbox.batch.StepCommit;
import io.signalbox.batch.StepPlan;
import io.signalbox.batch.WeightSpans;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.OutputWriter;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeEncoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.MatchGate;
import io.signalbox.event.codec.PlacedEncoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedEncoder;
import io.signalbox.event.codec.TieRule;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.router.PlacementBatch;

/** Writes decisions into the group as events. */
final class OutputEncoder implements BatchListener
{
    private final OutputWriter out = new OutputWriter();

    void into(final GroupWriter target)
    {
        out.into(target);
    }

    void accepted(final long requestId)
    {
        out.accepted(requestId);
    }

    void refused(final long requestId, final RefusalReason reason)
    {
        out.refused(requestId, reason);
    }

    /** @param matchesRead whether the router reads matches; if not, the batch has no matches. */
    void placed(
        final DecidingRouter decidedBy, final boolean matchesRead, final PlacementBatch batch, final int request)
    {
        int candidateCount = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            candidateCount += batch.isCandidate(request, rank) ? 1 : 0;
        }
        final PlacedEncoder placed = out.placed()
            .requestId(batch.requestId(request))
            .normaliser(batch.normaliser(request))
            .rank(batch.chosenRank(request))
            .target(batch.target())
            .decidedBy(decidedBy)
            .gate(MatchGate.get((short)batch.gate(request).ordinal()))
            .tieRule(TieRule.get((short)batch.tieRule(request).ordinal()))
            .matchesRead(flag(matchesRead));
        final PlacedEncoder.CandidatesEncoder candidates = placed.candidatesCount(candidateCount);
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (batch.isCandidate(request, rank))
            {
                candidates.next()
                    .score(batch.score(request, rank))
                    .newWork(batch.newWork(request, rank))
                    .loadTerm(batch.loadTerm(request, rank))
                    .loadTokens(batch.candidateLoad(request, rank))
                    .rank(rank)
                    .matchUsed(batch.matchUsed(request, rank))
                    .matchedTokens(batch.matchedTokens(request, rank))
                    .activeRequests(batch.candidateActive(request, rank))
                    .deferredTokens(batch.deferredTokens(request, rank))
                    .evictedTokens(batch.evictedTokens(request, rank));
            }
        }
        out.end(placed);
    }

    void schedule(final StepPlan plan, final int epoch, final int rank)
    {
        out.schedule(plan, epoch, rank);
    }

    void commit(final StepPlan plan, final StepCommit result, final int epoch, final int rank)
    {
        out.commit(plan, result, epoch, rank);
    }

    /** Withdraws the open steps of a rank from this one on. */
    void withdrawnFrom(
        final DpRank rank, final int rankIndex, final long fromStep, final WithdrawalCause cause, final String detail)
    {
        for (int i = 0; i < rank.open.size(); i++)
        {
            if (rank.open.at(i).step() >= fromStep)
            {
                out.withdrawn(rank.open.at(i).step(), fromStep, rank.epoch(), rankIndex, cause, detail);
            }
        }
    }

    /** Bytes of the group so far. */
    int groupLength()
    {
        return out.group().length();
    }

    /** Must be called before the request's blocks are released. */
    void free(final Request request, final FreeReason reason)
    {
        final int rowCount = request.computedHighWater();
        final boolean capture = request.rows() != null;
        final int captured = capture ? request.rows().capturedRows(rowCount) : 0;
        final int inherited = capture ? request.rows().inheritedRows(rowCount) : 0;
        final FreeEncoder free = out.free()
            .requestId(request.id())
            .rowsDigest(capture ? request.weights().digest(request.rows().digest()) : 0)
            .rank(request.rank())
            .generatedTokens(request.generatedTokens())
            .capturedRows(captured)
            .inheritedRows(inherited)
            .missingRows(capture ? rowCount - captured - inherited : 0)
            .impossibleRows(request.impossibleRows())
            .computedTokens(rowCount)
            .fenceStep(request.newestStepInFlight())
            .failedStep(reason == FreeReason.FAILED ? request.failedStep() : 0)
            .failedRank(reason == FreeReason.FAILED ? request.failedRank() : Request.NO_RANK)
            .reason(reason);
        final FreeEncoder.ReleasedEncoder released = free.releasedCount(request.blockCount());
        for (int i = 0; i < request.blockCount(); i++)
        {
            released.next().blockId(request.blockId(i));
        }
        final WeightSpans weights = request.weights();
        final FreeEncoder.WeightSpansEncoder spans = free.weightSpansCount(weights.count());
        for (int i = 0; i < weights.count(); i++)
        {
            spans.next().from(weights.start(i)).weightGeneration(weights.generation(i));
        }
        free.failure(reason == FreeReason.FAILED ? request.failure() : "");
        out.end(free);
    }

    @Override
    public void onPause(final Request request)
    {
        out.paused(request.id(), request.rank(), request.blockCount());
    }

    @Override
    public void onContinue(final Request request)
    {
        out.continued(request.id(), request.rank());
    }

    @Override
    public void onRequeue(final Request request, final RequeueCause cause)
    {
        final RequeuedEncoder requeued = out.requeued()
            .requestId(request.id())
            .rank(request.rank())
            .reason(reason(cause));
        final RequeuedEncoder.ReleasedEncoder released = requeued.releasedCount(request.blockCount());
        for (int i = 0; i < request.blockCount(); i++)
        {
            released.next().blockId(request.blockId(i));
        }
        out.end(requeued);
    }

    private static RequeueReason reason(final RequeueCause cause)
    {
        return switch (cause)
        {
            case PREEMPTED -> RequeueReason.PREEMPTED;
            case STEP_WITHDRAWN -> RequeueReason.STEP_WITHDRAWN;
            case NEW_WEIGHTS -> RequeueReason.NEW_WEIGHTS;
        };
    }

    void newWeights(final int generation, final WeightsWay way, final String version)
    {
        out.newWeights(generation, way, version);
    }

    void digest(
        final long inputs, final long pool, final long prefixIndex, final long rows, final long requests, final long router)
    {
        out.digest(inputs, pool, prefixIndex, rows, requests, router);
    }

    private static Flag flag(final boolean value)
    {
        return value ? Flag.YES : Flag.NO;
    }
}
