// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.event.CommitView;
import io.signalbox.event.CommitWords;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Folds the groups of a run, in their order, into what most of its readers need: live requests, the KV blocks that they hold
 * on each rank, and steps in flight. Calls {@link RunListener listeners}, in their order, for each event. Allocates nothing
 * once as many requests were alive as ever are. Not thread-safe.
 */
public final class RunFold extends EventReader
{
    private static final int MOST_RANKS = 1 << 16;

    private final boolean isWhole;
    private final RunListener[] listeners;
    private final RunListener[] ofGroups;
    private final RunListener[] ofGroupEnds;
    private final RunListener[] ofPlans;
    private final RunListener[] ofLaunches;
    private final RunListener[] ofCompletions;
    private final RunListener[] ofTokens;
    private final RunListener[] ofCommits;
    private final Long2ObjectHashMap<RunRequest> live = new Long2ObjectHashMap<>();
    private final ArrayDeque<RunRequest> spare = new ArrayDeque<>();
    private RunRank[] ranks = {};
    private RunRequest submitted;
    private long nowNanos;
    /** The entries of a commit. */
    private long[] words = new long[16 * CommitView.ENTRY_WORDS];

    private RunFold(final boolean isWhole, final RunListener... listeners)
    {
        this.isWhole = isWhole;
        this.listeners = listeners.clone();
        ofGroups = overriding("onGroup");
        ofGroupEnds = overriding("onGroupEnd");
        ofPlans = overriding("onStep");
        ofLaunches = overriding("onForward");
        ofCompletions = overriding("onCompletion");
        ofTokens = overriding("onTokens");
        ofCommits = overriding("onLanded");
    }

    /** The listeners that do something in a method that is called often. */
    private RunListener[] overriding(final String method)
    {
        return Arrays.stream(listeners).filter(listener -> Arrays.stream(listener.getClass().getMethods()).anyMatch(
            each -> each.getName().equals(method) && !each.isDefault())).toArray(RunListener[]::new);
    }

    /**
     * For groups from the beginning of a run, or behind a state that {@link #behind} is given. An event of a request that is
     * not alive is an {@link IllegalStateException}.
     */
    public static RunFold of(final RunListener... listeners)
    {
        return new RunFold(true, listeners);
    }

    /** For groups that may begin within a run. */
    public static RunFold within(final RunListener... listeners)
    {
        return new RunFold(false, listeners);
    }

    /** The groups continue a run in this state; {@code null}: they begin it. */
    public RunFold behind(final FoldedState state)
    {
        if (state == null)
        {
            return this;
        }
        nowNanos = state.timeNanos();
        for (final RequestState was : state.requests.values())
        {
            if (was.stage != RequestState.Stage.FINISHED)
            {
                final RunRequest request = new RunRequest().begin(was);
                live.put(was.id, request);
                for (int i = 0; i < was.blockCount; i++)
                {
                    rank(was.rank).hold(request, was.blocks[i]);
                }
            }
        }
        for (final RankState was : state.ranks)
        {
            was.open.forEach(step -> rank(was.rank).open(step.step(), step.tokens(), step.plannedNanos()));
        }
        for (final RunListener listener : listeners)
        {
            listener.onState(state);
        }
        for (int rank = 0; rank < ranks.length; rank++)
        {
            blocksInUse(rank, ranks[rank].blocksInUse());
        }
        return this;
    }

    /** Reads a group whose input has the time of the run, or an earlier one: then no time has passed. */
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        // Different clocks may stamp the inputs; the time of a run never decreases.
        onGroup(group, offset, length, Math.max(nowNanos, GroupReader.inputTimeNanos(group, offset, length)));
    }

    /** Reads a group of this time. */
    public void onGroup(final DirectBuffer group, final int offset, final int length, final long timeNanos)
    {
        nowNanos = timeNanos;
        for (final RunListener listener : ofGroups)
        {
            listener.onGroup(timeNanos);
        }
        readGroup(group, offset, length);
        for (final RunListener listener : ofGroupEnds)
        {
            listener.onGroupEnd();
        }
    }

    /** Requests that have not ended, by ascending id. */
    public List<RunRequest> live()
    {
        return live.values().stream().sorted(Comparator.comparingLong(RunRequest::id)).toList();
    }

    private RunRequest find(final long requestId)
    {
        final RunRequest request = live.get(requestId);
        if (request == null && isWhole)
        {
            throw new IllegalStateException("request " + requestId + " is not alive");
        }
        return request;
    }

    private RunRank rank(final int rank)
    {
        if (rank >= ranks.length)
        {
            if (rank >= MOST_RANKS)
            {
                throw new IllegalStateException("rank " + rank + " is above the highest one, " + (MOST_RANKS - 1));
            }
            final int known = ranks.length;
            ranks = Arrays.copyOf(ranks, rank + 1);
            for (int i = known; i <= rank; i++)
            {
                ranks[i] = new RunRank();
            }
        }
        return ranks[rank];
    }

    private void blocksInUse(final int rank, final int change)
    {
        for (int i = 0; change != 0 && i < listeners.length; i++)
        {
            listeners[i].onBlocksInUse(rank, ranks[rank].blocksInUse(), change);
        }
    }

    @Override
    protected void onSubmit(final SubmitDecoder submit)
    {
        submitted = (spare.isEmpty() ? new RunRequest() : spare.pop()).begin(submit, nowNanos);
        for (final RunListener listener : listeners)
        {
            listener.onSubmit(submit.sbeRewind());
        }
    }

    @Override
    protected void onAccepted(final AcceptedDecoder answer)
    {
        final RunRequest request = submitted;
        submitted = null;
        if (requireSubmitted(request, answer.requestId()))
        {
            live.put(request.id, request);
            for (final RunListener listener : listeners)
            {
                listener.onAccepted(request);
            }
        }
    }

    private boolean requireSubmitted(final RunRequest request, final long requestId)
    {
        final boolean isSubmitted = request != null && request.id == requestId;
        if (!isSubmitted && isWhole)
        {
            throw new IllegalStateException("request " + requestId + " is answered, but was not submitted");
        }
        return isSubmitted;
    }

    @Override
    protected void onRefused(final RefusedDecoder answer)
    {
        final RunRequest request = submitted;
        submitted = null;
        if (requireSubmitted(request, answer.requestId()))
        {
            for (final RunListener listener : listeners)
            {
                listener.onRefused(request, answer);
            }
            // Its id may be that of a live request.
            request.end();
            spare.push(request);
        }
    }

    @Override
    protected void onCancel(final CancelDecoder cancel)
    {
        final RunRequest request = live.get(cancel.requestId());
        for (final RunListener listener : listeners)
        {
            listener.onCancel(request, cancel);
        }
    }

    @Override
    protected void onControl(final ControlDecoder control)
    {
        for (final RunListener listener : listeners)
        {
            listener.onControl(control.sbeRewind());
        }
    }

    @Override
    protected void onPlaced(final PlacedDecoder decision)
    {
        final RunRequest request = find(decision.requestId());
        if (request != null)
        {
            request.placedRank = decision.rank();
        }
        for (final RunListener listener : listeners)
        {
            listener.onPlaced(request, decision.sbeRewind());
        }
    }

    @Override
    protected void onSchedule(final StepView plan)
    {
        final RunRank rank = rank(plan.rank());
        final int before = rank.blocksInUse();
        rank.open(plan.step(), plan.tokens(), nowNanos);
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            final RunRequest admitted = find(plan.admittedRequestId(i));
            if (admitted != null)
            {
                admitted.admit(plan, plan.matchedBlocks(i), nowNanos);
            }
        }
        addBlocks(rank, plan);
        blocksInUse(plan.rank(), rank.blocksInUse() - before);
        for (final RunListener listener : ofPlans)
        {
            listener.onStep(plan);
        }
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            admitted(live.get(plan.admittedRequestId(i)), plan, i);
        }
    }

    private void addBlocks(final RunRank rank, final StepView plan)
    {
        // Changes of one request follow one another.
        RunRequest request = null;
        for (int i = 0; i < plan.changeCount(); i++)
        {
            final long id = plan.changeRequestId(i);
            request = request == null || request.id != id ? find(id) : request;
            // Blocks of one that began to run in records that were removed are not all known.
            if (request != null && request.isRunning)
            {
                rank.add(request, plan, i);
            }
        }
    }

    private void admitted(final RunRequest request, final StepView plan, final int index)
    {
        for (int i = 0; request != null && i < listeners.length; i++)
        {
            listeners[i].onAdmitted(request, plan, index);
        }
    }

    @Override
    protected void onForward(final ForwardDecoder launch)
    {
        for (final RunListener listener : ofLaunches)
        {
            listener.onForward(launch);
        }
    }

    @Override
    protected void onD2hComplete(final CompletionView completion)
    {
        for (final RunListener listener : ofCompletions)
        {
            listener.onCompletion(completion);
        }
    }

    @Override
    protected void onBackendFault(final BackendFaultDecoder fault)
    {
        for (final RunListener listener : listeners)
        {
            listener.onFault(fault.sbeRewind());
        }
    }

    @Override
    protected void onStepTimedOut(final StepTimedOutDecoder timeout)
    {
        for (final RunListener listener : listeners)
        {
            listener.onTimedOut(timeout);
        }
    }

    @Override
    protected void onCommit(final CommitView commit)
    {
        final RunRank rank = rank(commit.rank());
        final RunStep step = rank.find(commit.step());
        final int end = commit.entryCount() * CommitView.ENTRY_WORDS;
        words = words.length < end ? new long[2 * end] : words;
        commit.copyEntries(words);
        for (int entry = 0, word = 0; word < end; entry++, word += CommitView.ENTRY_WORDS)
        {
            final int advance = CommitWords.high(words[word + 1]);
            step.land(advance, (int)words[word + 2]);
            if (advance > 0)
            {
                land(rank.request(entry, words[word], live), words[word], CommitWords.emitted((int)words[word + 2]));
            }
        }
        for (int i = 0; i < commit.registeredCount(); i++)
        {
            if (commit.registeredGenerated(i))
            {
                rank.generated(commit.registeredBlockId(i));
            }
        }
        for (final RunListener listener : ofCommits)
        {
            listener.onLanded(step, commit);
        }
        step.close();
    }

    private void land(final RunRequest known, final long requestId, final int emitted)
    {
        final RunRequest request = known == null ? find(requestId) : known;
        if (request == null)
        {
            return;
        }
        request.landed = true;
        if (emitted > 0)
        {
            emit(request, emitted);
        }
    }

    private void emit(final RunRequest request, final int emitted)
    {
        final boolean isFirst = request.tokens == 0;
        final long sinceNanos = request.lastTokenNanos == RunRequest.UNKNOWN ? RunRequest.UNKNOWN :
            nowNanos - request.lastTokenNanos;
        request.tokens += emitted;
        request.lastTokenNanos = nowNanos;
        if (isFirst)
        {
            request.firstTokenNanos = nowNanos;
            for (final RunListener listener : listeners)
            {
                listener.onFirstToken(request);
            }
        }
        for (final RunListener listener : ofTokens)
        {
            listener.onTokens(request, emitted, sinceNanos);
        }
    }

    @Override
    protected void onWithdrawn(final WithdrawnDecoder withdrawn)
    {
        final RunStep step = rank(withdrawn.rank()).find(withdrawn.step());
        for (final RunListener listener : listeners)
        {
            listener.onWithdrawn(step, withdrawn.sbeRewind());
        }
        step.close();
    }

    @Override
    protected void onRequeued(final RequeuedDecoder requeued)
    {
        final RunRequest request = find(requeued.requestId());
        if (request != null)
        {
            stop(request);
            withdrawAdmission(request);
            final boolean isPreempted = requeued.reason() == RequeueReason.PREEMPTED;
            request.preemptions += isPreempted ? 1 : 0;
            request.restarts += isPreempted ? 0 : 1;
        }
        for (final RunListener listener : listeners)
        {
            listener.onRequeued(request, requeued.sbeRewind());
        }
    }

    private void stop(final RunRequest request)
    {
        if (request.isRunning)
        {
            final RunRank rank = rank(request.admittedRank);
            final int before = rank.blocksInUse();
            rank.releaseAll(request);
            blocksInUse(request.admittedRank, rank.blocksInUse() - before);
        }
        for (final RunListener listener : listeners)
        {
            listener.onStopped(request);
        }
        request.isRunning = false;
        request.isPaused = false;
    }

    private void withdrawAdmission(final RunRequest request)
    {
        if (request.landed || request.matchedBlocks == RunRequest.UNKNOWN)
        {
            return;
        }
        for (final RunListener listener : listeners)
        {
            listener.onAdmissionWithdrawn(request);
        }
        request.unmatch();
    }

    @Override
    protected void onPaused(final PausedDecoder paused)
    {
        final RunRequest request = find(paused.requestId());
        if (request != null)
        {
            request.isPaused = true;
            request.pauses++;
        }
        for (final RunListener listener : listeners)
        {
            listener.onPaused(request, paused);
        }
    }

    @Override
    protected void onContinued(final ContinuedDecoder continued)
    {
        final RunRequest request = find(continued.requestId());
        for (final RunListener listener : listeners)
        {
            listener.onContinued(request, continued);
        }
        if (request != null)
        {
            request.isPaused = false;
        }
    }

    @Override
    protected void onBackendReset(final BackendResetDecoder reset)
    {
        for (final RunListener listener : listeners)
        {
            listener.onReset(reset);
        }
    }

    @Override
    protected void onNewWeights(final NewWeightsDecoder change)
    {
        for (final RunListener listener : listeners)
        {
            listener.onNewWeights(change.sbeRewind());
        }
    }

    @Override
    protected void onDigest(final DigestDecoder digest)
    {
        for (final RunListener listener : listeners)
        {
            listener.onDigest(digest);
        }
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        final RunRequest request = find(end.requestId());
        if (request != null)
        {
            stop(request);
            live.remove(request.id);
        }
        for (final RunListener listener : listeners)
        {
            listener.onEnded(request, end.sbeRewind());
        }
        if (request != null)
        {
            request.end();
            spare.push(request);
        }
    }
}
