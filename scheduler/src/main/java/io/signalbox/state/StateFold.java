// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;

import java.util.Arrays;

/**
 * Brings a {@link FoldedState} up to the events of a {@link RunFold}. It runs no policy: which request gets a rank, a block
 * or a step is what the events say. Each {@code Digest} on the way is compared with the state: the number of inputs, and the
 * digest of the prefix indexes.
 *
 * <p>An event that contradicts the state ends the fold with an {@link IllegalStateException}; the state must not be used
 * afterwards.
 */
public final class StateFold implements RunListener
{
    private final FoldedState state;
    private RequestState submitted;
    /** A rank that this group has lost, and whose waiting requests are not back in the queue yet; -1: none. */
    private int evacuated = RequestState.NO_RANK;
    private long nowNanos;

    /** Continues from a state, which it changes. */
    public StateFold(final FoldedState state)
    {
        this.state = state;
    }

    @Override
    public void onGroup(final long timeNanos)
    {
        nowNanos = timeNanos;
        state.timeNanos = Math.max(state.timeNanos, timeNanos);
        state.inputs++;
    }

    @Override
    public void onGroupEnd()
    {
        evacuate();
        submitted = null;
    }

    private RankState rank(final int rank)
    {
        if (rank < 0 || rank >= state.ranks.length)
        {
            throw new IllegalStateException("rank " + rank + " is not one of " + state.ranks.length);
        }
        return state.ranks[rank];
    }

    private RequestState live(final long id)
    {
        final RequestState request = state.requests.get(id);
        if (request == null || request.stage == RequestState.Stage.FINISHED)
        {
            throw new IllegalStateException("request " + id + " is not alive");
        }
        return request;
    }

    private RequestState onRank(final long id, final int rank, final RequestState.Stage stage)
    {
        final RequestState request = live(id);
        if (request.rank != rank || request.stage != stage)
        {
            throw new IllegalStateException("request " + id + " is " + request.stage + " on rank " + request.rank +
                ", and not " + stage + " on rank " + rank);
        }
        return request;
    }

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        submitted = new RequestState(submit.requestId(), submit.conversationId(), nowNanos, submit.priority(),
            submit.promptTokens(), submit.maxNewTokens(), submit.rowsFrom() >= 0);
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        if (state.requests.containsKey(submitted.id))
        {
            throw new IllegalStateException("request " + submitted.id + " is accepted, but was not submitted anew");
        }
        state.accepted++;
        state.requests.put(submitted.id, submitted);
        state.queue.addByPriority(submitted);
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder refused)
    {
        state.refused++;
    }

    @Override
    public void onCancel(final RunRequest live, final CancelDecoder cancel)
    {
        final RequestState request = state.requests.get(cancel.requestId());
        if (request != null && request.stage != RequestState.Stage.FINISHED)
        {
            request.cancelled = true;
        }
    }

    @Override
    public void onControl(final ControlDecoder control)
    {
        final ControlKind kind = control.kind();
        if (kind == ControlKind.DRAIN)
        {
            state.draining = true;
        }
        else if (kind == ControlKind.CACHE_RESET)
        {
            forgetAllPrefixes();
        }
        else if (kind == ControlKind.RELEASE_ROWS)
        {
            final RequestState request = state.requests.get(control.requestId());
            if (request != null && request.stage == RequestState.Stage.FINISHED)
            {
                state.requests.remove(request.id);
            }
        }
    }

    private void forgetAllPrefixes()
    {
        state.cacheGeneration++;
        for (final RankState rank : state.ranks)
        {
            rank.blocks.forgetPrefixes();
        }
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder change)
    {
        state.weightGeneration = change.weightGeneration();
        forgetAllPrefixes();
    }

    @Override
    public void onFault(final BackendFaultDecoder fault)
    {
        if (fault.faultClass() == FaultClass.RANK_GIVEN_UP)
        {
            final RankState rank = rank(fault.rank());
            final boolean isMeant = rank.epoch == fault.epoch() && rank.stage != RankState.Stage.ACTIVE;
            rank.stage = isMeant ? RankState.Stage.GIVEN_UP : rank.stage;
        }
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        final boolean forgets = reset.kvMemoryKept() != Flag.YES;
        state.draining &= reset.restart() != Flag.YES;
        state.cacheGeneration += forgets ? 1 : 0;
        for (final RankState rank : state.ranks)
        {
            if (reset.rank() < 0 || reset.rank() == rank.rank)
            {
                rank.epoch = reset.newEpoch();
                rank.stage = RankState.Stage.ACTIVE;
                if (forgets)
                {
                    rank.blocks.forgetPrefixes();
                }
            }
        }
    }

    @Override
    public void onPlaced(final RunRequest queued, final PlacedDecoder placed)
    {
        evacuate();
        final RequestState request = onRank(placed.requestId(), RequestState.NO_RANK, RequestState.Stage.QUEUED);
        state.queue.remove(request);
        request.rank = placed.rank();
        request.former = 0;
        request.moveTo(RequestState.Stage.PLACED, nowNanos);
        rank(placed.rank()).waiting.addByPriority(request);
    }

    @Override
    public void onStep(final StepView plan)
    {
        evacuate();
        final RankState rank = rank(plan.rank());
        if (plan.step() <= rank.newestStep)
        {
            throw new IllegalStateException("step " + plan.step() + " follows step " + rank.newestStep);
        }
        rank.newestStep = plan.step();
        for (int i = 0; i < plan.evictedCount(); i++)
        {
            rank.blocks.evict(plan.evictedBlockId(i), plan.evictedHash(i));
        }
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            admit(rank, plan, i);
        }
        for (int i = 0; i < plan.changeCount(); i++)
        {
            change(rank, plan, i);
        }
        open(rank, plan);
    }

    private void admit(final RankState rank, final StepView plan, final int index)
    {
        final RequestState request =
            onRank(plan.admittedRequestId(index), rank.rank, RequestState.Stage.PLACED);
        rank.waiting.remove(request);
        rank.running.addByPriority(request);
        request.moveTo(RequestState.Stage.RUNNING, nowNanos);
        request.admission = ++rank.admissions;
        request.former = 0;
        request.computedTokens = plan.matchedBlocks(index) * state.shape.blockTokens();
    }

    private void change(final RankState rank, final StepView plan, final int index)
    {
        final RequestState request = onRank(plan.changeRequestId(index), rank.rank, RequestState.Stage.RUNNING);
        final int block = plan.changeBlockId(index);
        if (plan.changeIndex(index) != request.blockCount)
        {
            throw new IllegalStateException("request " + request.id + " gains block " + plan.changeIndex(index) +
                " of its table, which has " + request.blockCount);
        }
        if (plan.changeIsMatch(index))
        {
            rank.blocks.share(block, plan.changeIssue(index), plan.step());
        }
        else
        {
            rank.blocks.allocate(block, plan.changeIssue(index), request.blockCount,
                request.blockCount == 0 ? BlockStates.NO_BLOCK : request.blocks[request.blockCount - 1], plan.step());
        }
        request.addBlock(block);
    }

    private void open(final RankState rank, final StepView plan)
    {
        final long[] ids = new long[plan.entryCount()];
        for (int i = 0; i < ids.length; i++)
        {
            ids[i] = plan.requestId(i);
        }
        rank.open.add(new StepState(plan.step(), nowNanos, plan.tokens(), ids));
    }

    @Override
    public void onLanded(final RunStep step, final CommitView commit)
    {
        final RankState rank = rank(commit.rank());
        for (int i = 0; i < commit.entryCount(); i++)
        {
            if (commit.advance(i) > 0 || commit.emitted(i) > 0)
            {
                final RequestState request = onRank(commit.requestId(i), rank.rank, RequestState.Stage.RUNNING);
                request.computedTokens += commit.advance(i);
                request.generatedTokens += commit.emitted(i);
                state.generatedTokens += commit.emitted(i);
            }
        }
        for (int i = 0; i < commit.registeredCount(); i++)
        {
            rank.blocks.register(commit.registeredBlockId(i), commit.registeredHash(i));
        }
        rank.close(commit.step());
        rank.landed(commit.step());
    }

    @Override
    public void onWithdrawn(final RunStep step, final WithdrawnDecoder withdrawn)
    {
        final RankState rank = rank(withdrawn.rank());
        rank.close(withdrawn.step());
        rank.withdrawn(withdrawn.causeStep());
        final WithdrawalCause cause = withdrawn.cause();
        if (cause == WithdrawalCause.RANK_LOST || cause == WithdrawalCause.TIMED_OUT)
        {
            rank.stage = RankState.Stage.LOST;
            evacuated = rank.rank;
        }
    }

    /** The requests that wait on a lost rank return to the queue, behind those that its last steps computed. */
    private void evacuate()
    {
        if (evacuated < 0)
        {
            return;
        }
        final RequestLine waiting = state.ranks[evacuated].waiting;
        evacuated = RequestState.NO_RANK;
        while (waiting.size() > 0)
        {
            final RequestState request = waiting.removeLast();
            request.rank = RequestState.NO_RANK;
            request.former = 0;
            request.moveTo(RequestState.Stage.QUEUED, nowNanos);
            state.queue.addFirstByPriority(request);
        }
    }

    @Override
    public void onRequeued(final RunRequest again, final RequeuedDecoder requeued)
    {
        final RankState rank = rank(requeued.rank());
        final RequestState request = onRank(requeued.requestId(), rank.rank, RequestState.Stage.RUNNING);
        final boolean isPreempted = requeued.reason() == RequeueReason.PREEMPTED;
        requireTable(request, requeued.released().count());
        rank.running.remove(request);
        releaseAll(rank, request.blocks, request.blockCount);
        request.blockCount = 0;
        request.computedTokens = 0;
        request.preemptions += isPreempted ? 1 : 0;
        request.paused = false;
        request.former = request.admission;
        request.admission = 0;
        request.moveTo(RequestState.Stage.PLACED, nowNanos);
        rank.waiting.addAgain(request);
    }

    private static void requireTable(final RequestState request, final int released)
    {
        if (released != request.blockCount)
        {
            throw new IllegalStateException("request " + request.id + " releases " + released + " blocks, and has " +
                request.blockCount);
        }
    }

    private static void releaseAll(final RankState rank, final int[] blocks, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            rank.blocks.release(blocks[i]);
        }
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        onRank(paused.requestId(), paused.rank(), RequestState.Stage.RUNNING).paused = true;
    }

    @Override
    public void onContinued(final RunRequest request, final ContinuedDecoder continued)
    {
        onRank(continued.requestId(), continued.rank(), RequestState.Stage.RUNNING).paused = false;
    }

    @Override
    public void onEnded(final RunRequest ended, final FreeDecoder free)
    {
        evacuate();
        final RequestState request = live(free.requestId());
        final long fence = free.fenceStep();
        if (free.rank() != request.rank)
        {
            throw new IllegalStateException("request " + request.id + " ends on rank " + free.rank() + ", but is on rank " +
                request.rank);
        }
        requireTable(request, free.released().count());
        switch (request.stage)
        {
            case QUEUED -> state.queue.remove(request);
            case PLACED -> rank(request.rank).waiting.remove(request);
            default -> leave(rank(request.rank), request, fence);
        }
        state.ended++;
        request.generatedTokens = free.generatedTokens();
        request.blockCount = 0;
        request.moveTo(RequestState.Stage.FINISHED, nowNanos);
        if (!request.wantsRows || !state.shape.capture())
        {
            state.requests.remove(request.id);
        }
    }

    private static void leave(final RankState rank, final RequestState request, final long fence)
    {
        rank.running.remove(request);
        request.paused = false;
        request.admission = 0;
        if (fence == 0)
        {
            releaseAll(rank, request.blocks, request.blockCount);
        }
        else
        {
            rank.retired.add(new RetiredBlocks(fence, Arrays.copyOf(request.blocks, request.blockCount)));
        }
    }

    @Override
    public void onDigest(final DigestDecoder digest)
    {
        evacuate();
        if (digest.inputs() != state.inputs)
        {
            throw new IllegalStateException("the digest is of " + digest.inputs() + " inputs, and " + state.inputs +
                " were folded");
        }
        if (digest.prefixIndexDigest() != state.prefixIndexDigest())
        {
            throw new IllegalStateException("the folded prefix indexes have digest " +
                Long.toHexString(state.prefixIndexDigest()) + ", and the scheduler's had " +
                Long.toHexString(digest.prefixIndexDigest()));
        }
    }
}
