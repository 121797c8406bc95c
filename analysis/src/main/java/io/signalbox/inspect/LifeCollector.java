// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.engine.FreeSpans;
import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.inspect.RequestInspection.Restart;
import io.signalbox.inspect.RequestInspection.SubmittedIds;
import io.signalbox.inspect.RequestLife.Submission;
import io.signalbox.journal.GroupSource;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import io.signalbox.stats.FirstTokenTimes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Collects from groups, in their order, the events of one request id. */
final class LifeCollector implements RunListener, GroupCollector
{
    private final long requestId;
    private final String router;
    private final String fallback;
    private final List<LifeRecord> lives = new ArrayList<>();
    /** The Submit of the current group; null if it has none with this id: an answer without one is false, and no life. */
    private Submission submission;
    /** The current life, or {@code null}; a Submit that is refused meanwhile does not affect it. */
    private LifeRecord open;
    private final FirstTokenTimes firstToken = new FirstTokenTimes();
    private final List<Restart> restarts = new ArrayList<>();
    private long record;
    private long nowNanos;
    /** Why a step of the current group failed; empty if nobody said. */
    private String fault = "";
    /** Parts of the time to the first token, which the current step gave; {@code null}: it did not. */
    private List<Long> firstTokenNanos;
    private final SubmitCount submits = new SubmitCount();
    private final FoldedMatches matches;
    private final RunFold fold;

    /** A life while it is being collected. */
    private static final class LifeRecord
    {
        private final Submission submission;
        private final RefusalReason refusal;
        private final List<LifeEvent> events = new ArrayList<>();
        private int tokens;

        private LifeRecord(final Submission submission, final RefusalReason refusal)
        {
            this.submission = submission;
            this.refusal = refusal;
        }

        private RequestLife life()
        {
            return new RequestLife(submission, refusal, List.copyOf(events), tokens);
        }
    }

    /**
     * @param router   label of the configured router.
     * @param fallback label of its fallback; {@code null} if the run description names none.
     * @param matches  folds the matches that the router could have read, if it does not read matches.
     */
    LifeCollector(final long requestId, final String router, final String fallback, final FoldedMatches matches)
    {
        this.matches = matches;
        fold = RunFold.within(matches, this);
        this.requestId = requestId;
        this.router = router;
        this.fallback = fallback == null ? "the fallback of " + router : fallback;
    }

    List<RequestLife> lives()
    {
        return lives.stream().map(LifeRecord::life).toList();
    }

    long nowNanos()
    {
        return nowNanos;
    }

    List<Restart> restarts()
    {
        return List.copyOf(restarts);
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        if (reset.restart() == Flag.YES)
        {
            restarts.add(new Restart(record, nowNanos, reset.newEpoch(), 0, 0));
        }
    }

    @Override
    public void onFault(final BackendFaultDecoder message)
    {
        fault = message.detail();
    }

    @Override
    public void onTimedOut(final StepTimedOutDecoder message)
    {
        fault = "step " + message.step() + " was not reported in time";
    }

    /** Names a completion that cannot be true, which no fault precedes. */
    @Override
    public void onWithdrawn(final RunStep landed, final WithdrawnDecoder withdrawn)
    {
        count(1, 0);
        firstToken.onWithdrawn(withdrawn.rank(), withdrawn.step());
        final String detail = withdrawn.detail();
        fault = detail.isEmpty() ? fault : detail;
    }

    /** Adds to the restart whose group is being read, if it is one. */
    private void count(final int withdrawn, final int requeued)
    {
        final int last = restarts.size() - 1;
        if (last >= 0 && restarts.get(last).record() == record)
        {
            final Restart restart = restarts.get(last);
            restarts.set(last, new Restart(record, nowNanos, restart.epoch(), restart.withdrawn() + withdrawn,
                restart.requeued() + requeued));
        }
    }

    SubmittedIds submits()
    {
        return submits.submits();
    }

    @Override
    public void onGroup(final GroupSource groups)
    {
        record = groups.sequence();
        nowNanos = groups.timeNanos();
        submission = null;
        fault = "";
        fold.onGroup(groups.group(), 0, groups.groupLength(), nowNanos);
    }

    @Override
    public void onSubmit(final SubmitDecoder asked)
    {
        final long id = asked.requestId();
        submits.add(id);
        if (id == requestId)
        {
            submission = new Submission(nowNanos, asked.conversationId(), asked.deadlineNanos(), asked.promptTokens(),
                asked.maxNewTokens(), asked.priority(), asked.rankHint(), asked.rankHintRelaxed() == Flag.YES);
        }
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        if (submission != null && request.id() == requestId)
        {
            open = new LifeRecord(submission, null);
            firstToken.onAccepted(requestId, nowNanos);
            lives.add(open);
        }
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        if (submission != null && answer.requestId() == requestId)
        {
            lives.add(new LifeRecord(submission, answer.reason()));
        }
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        if (open == null || decision.requestId() != requestId)
        {
            return;
        }
        final int[] folded = matches.tokens(requestId);
        final List<LifeEvent.Candidate> candidates = new ArrayList<>();
        for (final PlacedDecoder.CandidatesDecoder candidate : decision.candidates())
        {
            candidates.add(new LifeEvent.Candidate(candidate.rank(), candidate.score(), candidate.newWork(),
                candidate.loadTerm(), candidate.loadTokens(), FoldedMatches.of(decision, candidate, folded),
                candidate.matchUsed(), candidate.activeRequests(), candidate.deferredTokens(), candidate.evictedTokens()));
        }
        candidates.sort(Comparator.comparingInt(LifeEvent.Candidate::rank));
        open.events.add(new LifeEvent.Placed(nowNanos, decision.rank(), label(decision.decidedBy()),
            decision.gate(), decision.tieRule(), decision.target(), decision.normaliser(),
            decision.matchesRead() == Flag.YES, List.copyOf(candidates)));
    }

    private String label(final DecidingRouter decidedBy)
    {
        return decidedBy == DecidingRouter.FALLBACK ? fallback : router;
    }

    @Override
    public void onStep(final StepView plan)
    {
        firstToken.onSchedule(plan, nowNanos);
    }

    @Override
    public void onAdmitted(final RunRequest request, final StepView plan, final int index)
    {
        if (request.id() == requestId)
        {
            open.events.add(new LifeEvent.Admitted(
                nowNanos, plan.rank(), plan.step(), plan.matchedBlocks(index), plan.isResumed(index)));
        }
    }

    @Override
    public void onFirstToken(final RunRequest request)
    {
        if (request.id() == requestId)
        {
            firstTokenNanos = Arrays.stream(firstToken.onFirstToken(requestId, nowNanos)).boxed().toList();
        }
    }

    @Override
    public void onTokens(final RunRequest request, final int count, final long sinceNanos)
    {
        if (request.id() == requestId)
        {
            open.tokens += count;
        }
    }

    @Override
    public void onLanded(final RunStep step, final CommitView commit)
    {
        if (firstTokenNanos != null)
        {
            open.events.add(new LifeEvent.FirstToken(nowNanos, commit.rank(), commit.step(), firstTokenNanos));
            firstTokenNanos = null;
        }
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        count(0, 1);
        if (open == null || requeued.requestId() != requestId)
        {
            return;
        }
        final int released = requeued.released().count();
        final RequeueReason reason = requeued.reason();
        open.events.add(reason == RequeueReason.PREEMPTED ?
            new LifeEvent.Preempted(nowNanos, requeued.rank(), released) : reason == RequeueReason.NEW_WEIGHTS ?
            new LifeEvent.Outdated(nowNanos, requeued.rank(), released) :
            new LifeEvent.Requeued(nowNanos, requeued.rank(), released, fault));
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        if (open != null && paused.requestId() == requestId)
        {
            open.events.add(new LifeEvent.Paused(nowNanos, paused.rank(), paused.blocks()));
        }
    }

    @Override
    public void onContinued(final RunRequest request, final ContinuedDecoder continued)
    {
        if (open != null && continued.requestId() == requestId)
        {
            open.events.add(new LifeEvent.Continued(nowNanos, continued.rank()));
        }
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        if (open != null && end.requestId() == requestId)
        {
            open.events.add(new LifeEvent.Ended(nowNanos, end.rank(), end.reason(), end.generatedTokens(),
                end.capturedRows(), end.inheritedRows(), end.missingRows(), FreeSpans.of(end)));
            open = null;
            firstToken.onEnd(requestId);
        }
    }

    @Override
    public void onForward(final ForwardDecoder launch)
    {
        firstToken.onForward(launch.rank(), launch.step(), nowNanos);
    }

    @Override
    public void onCompletion(final CompletionView completion)
    {
        firstToken.onCompletion(completion.rank(), completion.step(), nowNanos, completion.computeNanos());
    }
}
