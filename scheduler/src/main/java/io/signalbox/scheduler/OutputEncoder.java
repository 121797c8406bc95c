// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.batch.StepCommit;
import io.signalbox.batch.StepPlan;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.AcceptedEncoder;
import io.signalbox.event.codec.CommitEncoder;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.DigestEncoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeEncoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.PlacedEncoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedEncoder;
import io.signalbox.event.codec.RequeuedEncoder;
import io.signalbox.event.codec.ScheduleEncoder;
import io.signalbox.event.codec.TableChangeKind;
import io.signalbox.router.PlacementBatch;
import org.agrona.sbe.MessageEncoderFlyweight;

/** Writes decisions into the group as events. */
final class OutputEncoder
{
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final AcceptedEncoder accepted = new AcceptedEncoder();
    private final RefusedEncoder refused = new RefusedEncoder();
    private final PlacedEncoder placed = new PlacedEncoder();
    private final ScheduleEncoder schedule = new ScheduleEncoder();
    private final CommitEncoder commit = new CommitEncoder();
    private final FreeEncoder free = new FreeEncoder();
    private final RequeuedEncoder requeued = new RequeuedEncoder();
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

    void placed(final DecidingRouter decidedBy, final PlacementBatch batch, final int request)
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
            .tieRule(batch.tieRule(request));
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
                    .activeRequests(batch.candidateActive(request, rank));
            }
        }
        end(placed);
    }

    void schedule(final StepPlan plan, final int epoch, final int rank)
    {
        schedule.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .step(plan.step()).epoch(epoch).rank(rank).tokens(plan.tokens());
        final ScheduleEncoder.PreemptedEncoder preempted = schedule.preemptedCount(plan.preemptedCount());
        for (int i = 0; i < plan.preemptedCount(); i++)
        {
            preempted.next().requestId(plan.preempted(i).id()).releasedBlocks(plan.preemptedBlocks(i));
        }
        final ScheduleEncoder.AdmittedEncoder admitted = schedule.admittedCount(plan.admittedCount());
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            admitted.next()
                .requestId(plan.admitted(i).id())
                .matchedBlocks(plan.matchedBlocks(i))
                .resumed(flag(plan.resumed(i)));
        }
        evicted(plan);
        tableChanges(plan);
        final ScheduleEncoder.PendingEncoder pending = schedule.pendingCount(plan.pendingCount());
        for (int i = 0; i < plan.pendingCount(); i++)
        {
            pending.next().blockHash(plan.pendingHash(i)).blockId(plan.pendingBlock(i));
        }
        final ScheduleEncoder.RowsEncoder rows = schedule.rowsCount(plan.entryCount());
        for (int i = 0; i < plan.entryCount(); i++)
        {
            rows.next().requestId(plan.entryRequest(i).id()).start(plan.entryStart(i)).tokenCount(plan.entryTokens(i));
        }
        end(schedule);
    }

    private void evicted(final StepPlan plan)
    {
        final ScheduleEncoder.EvictedEncoder evicted = schedule.evictedCount(plan.evictedCount());
        for (int i = 0; i < plan.evictedCount(); i++)
        {
            evicted.next().blockHash(plan.evictedHash(i)).blockId(plan.evictedBlock(i));
        }
    }

    private void tableChanges(final StepPlan plan)
    {
        final ScheduleEncoder.TableChangesEncoder changes = schedule.tableChangesCount(plan.changeCount());
        for (int i = 0; i < plan.changeCount(); i++)
        {
            changes.next()
                .requestId(plan.changeRequest(i).id())
                .blockIndex(plan.changeIndex(i))
                .blockId(plan.changeBlock(i))
                .issue(plan.changeIssue(i))
                .kind(plan.changeMatched(i) ? TableChangeKind.MATCHED : TableChangeKind.ALLOCATED);
        }
    }

    void commit(final StepPlan plan, final StepCommit result, final int epoch, final int rank, final boolean capture)
    {
        commit.wrapAndApplyHeader(group.buffer(), group.begin(), header).step(plan.step()).epoch(epoch).rank(rank);
        final CommitEncoder.RowsEncoder rows = commit.rowsCount(plan.entryCount());
        for (int i = 0; i < plan.entryCount(); i++)
        {
            rows.next()
                .requestId(plan.entryRequest(i).id())
                .emittedTokenId(result.emittedToken(i))
                .ownerGone(flag(result.outcome(i) == StepCommit.Outcome.OWNER_GONE));
        }
        final int spanCount = capture ? plan.spanCount() : 0;
        final CommitEncoder.SpansEncoder spans = commit.spansCount(spanCount);
        for (int i = 0; i < spanCount; i++)
        {
            spans.next()
                .blockId(plan.spanBlock(i))
                .issue(plan.spanIssue(i))
                .offset(plan.spanOffset(i))
                .kept(result.keptRows(i))
                .alreadyThere(result.alreadyThereRows(i));
        }
        final CommitEncoder.RegisteredEncoder registered = commit.registeredCount(result.registeredCount());
        for (int i = 0; i < result.registeredCount(); i++)
        {
            registered.next().blockHash(result.registeredHash(i)).blockId(result.registeredBlock(i));
        }
        end(commit);
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
            .rowsDigest(capture ? request.rows().digest() : 0)
            .rank(request.rank())
            .generatedTokens(request.generatedTokens())
            .capturedRows(captured)
            .inheritedRows(inherited)
            .missingRows(capture ? rowCount - captured - inherited : 0)
            .reason(reason);
        final FreeEncoder.ReleasedEncoder released = free.releasedCount(request.blockCount());
        for (int i = 0; i < request.blockCount(); i++)
        {
            released.next().blockId(request.blockId(i));
        }
        end(free);
    }

    /** Must be called before the request's blocks are released. */
    void requeued(final Request request, final int releasedBlocks)
    {
        requeued.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .requestId(request.id())
            .rank(request.rank());
        final RequeuedEncoder.ReleasedEncoder released = requeued.releasedCount(releasedBlocks);
        for (int i = 0; i < releasedBlocks; i++)
        {
            released.next().blockId(request.blockId(i));
        }
        end(requeued);
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
