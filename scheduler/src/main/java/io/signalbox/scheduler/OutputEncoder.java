// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.BatchListener;
import io.signalbox.batch.Request;
import io.signalbox.batch.RequeueCause;
import io.signalbox.batch.StepCommit;
import io.signalbox.batch.StepPlan;
import io.signalbox.batch.WeightSpans;
import io.signalbox.event.CommitWriter;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.ScheduleWriter;
import io.signalbox.event.codec.AcceptedEncoder;
import io.signalbox.event.codec.ContinuedEncoder;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.DigestEncoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeEncoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.NewWeightsEncoder;
import io.signalbox.event.codec.PausedEncoder;
import io.signalbox.event.codec.PlacedEncoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedEncoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedEncoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnEncoder;
import io.signalbox.router.PlacementBatch;
import org.agrona.sbe.MessageEncoderFlyweight;

/** Writes decisions into the group as events. */
final class OutputEncoder implements BatchListener
{
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final AcceptedEncoder accepted = new AcceptedEncoder();
    private final RefusedEncoder refused = new RefusedEncoder();
    private final PlacedEncoder placed = new PlacedEncoder();
    private final ScheduleWriter schedule = new ScheduleWriter();
    private final CommitWriter commit = new CommitWriter();
    private final FreeEncoder free = new FreeEncoder();
    private final RequeuedEncoder requeued = new RequeuedEncoder();
    private final PausedEncoder paused = new PausedEncoder();
    private final ContinuedEncoder continued = new ContinuedEncoder();
    private final WithdrawnEncoder withdrawn = new WithdrawnEncoder();
    private final NewWeightsEncoder newWeights = new NewWeightsEncoder();
    private final DigestEncoder digest = new DigestEncoder();
    private GroupWriter group;

    void into(final GroupWriter target)
    {
        group = target;
    }

    private void end(final MessageEncoderFlyweight message)
    {
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + message.encodedLength());
    }

    void accepted(final long requestId)
    {
        end(accepted.wrapAndApplyHeader(group.buffer(), group.begin(), header).requestId(requestId));
    }

    void refused(final long requestId, final RefusalReason reason)
    {
        end(refused.wrapAndApplyHeader(group.buffer(), group.begin(), header).requestId(requestId).reason(reason));
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
        placed.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .requestId(batch.requestId(request))
            .normaliser(batch.normaliser(request))
            .rank(batch.chosenRank(request))
            .target(batch.target())
            .decidedBy(decidedBy)
            .gate(batch.gate(request))
            .tieRule(batch.tieRule(request))
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
        end(placed);
    }

    void schedule(final StepPlan plan, final int epoch, final int rank)
    {
        schedule.write(group, plan, epoch, rank);
    }

    void commit(final StepPlan plan, final StepCommit result, final int epoch, final int rank)
    {
        commit.write(group, plan, result, epoch, rank);
    }

    /** @param detail what is wrong with the completion, or empty. */
    private void withdrawn(
        final long step,
        final long causeStep,
        final int epoch,
        final int rank,
        final WithdrawalCause cause,
        final String detail)
    {
        end(withdrawn.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .step(step).causeStep(causeStep).epoch(epoch).rank(rank).cause(cause).detail(detail));
    }

    /** Withdraws the open steps of a rank from this one on. */
    void withdrawnFrom(
        final DpRank rank, final int rankIndex, final long fromStep, final WithdrawalCause cause, final String detail)
    {
        for (int i = 0; i < rank.open.size(); i++)
        {
            if (rank.open.at(i).step() >= fromStep)
            {
                withdrawn(rank.open.at(i).step(), fromStep, rank.epoch(), rankIndex, cause, detail);
            }
        }
    }

    /** Bytes of the group so far. */
    int groupLength()
    {
        return group.length();
    }

    /** Must be called before the request's blocks are released. */
    void free(final Request request, final FreeReason reason)
    {
        final int rowCount = request.computedHighWater();
        final boolean capture = request.rows() != null;
        final int captured = capture ? request.rows().capturedRows(rowCount) : 0;
        final int inherited = capture ? request.rows().inheritedRows(rowCount) : 0;
        free.wrapAndApplyHeader(group.buffer(), group.begin(), header)
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
        end(free);
    }

    @Override
    public void onPause(final Request request)
    {
        end(paused.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .requestId(request.id()).rank(request.rank()).blocks(request.blockCount()));
    }

    @Override
    public void onContinue(final Request request)
    {
        end(continued.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .requestId(request.id()).rank(request.rank()));
    }

    @Override
    public void onRequeue(final Request request, final RequeueCause cause)
    {
        requeued.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .requestId(request.id())
            .rank(request.rank())
            .reason(reason(cause));
        final RequeuedEncoder.ReleasedEncoder released = requeued.releasedCount(request.blockCount());
        for (int i = 0; i < request.blockCount(); i++)
        {
            released.next().blockId(request.blockId(i));
        }
        end(requeued);
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
        end(newWeights.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .weightGeneration(generation).way(way).version(version));
    }

    void digest(
        final long inputs, final long pool, final long prefixIndex, final long rows, final long requests, final long router)
    {
        end(digest.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .inputs(inputs)
            .poolDigest(pool)
            .prefixIndexDigest(prefixIndex)
            .rowsDigest(rows)
            .requestsDigest(requests)
            .routerDigest(router));
    }

    private static Flag flag(final boolean value)
    {
        return value ? Flag.YES : Flag.NO;
    }
}
