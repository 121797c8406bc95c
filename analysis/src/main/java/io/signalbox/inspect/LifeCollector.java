// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.engine.FinishReason;
import io.signalbox.engine.FreeSpans;
import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
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
import io.signalbox.inspect.HeldBlock.Origin;
import io.signalbox.inspect.RequestInspection.Restart;
import io.signalbox.inspect.RequestInspection.SubmittedIds;
import io.signalbox.inspect.RequestLife.Submission;
import io.signalbox.journal.GroupSource;
import io.signalbox.router.MatchGate;
import io.signalbox.router.TieRule;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import io.signalbox.stats.FirstTokenTimes;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/** Collects from groups, in their order, the events of one request, or of all. */
class LifeCollector implements RunListener, GroupCollector
{
    private final LongPredicate wanted;
    private final String router;
    private final String fallback;
    private final Long2ObjectHashMap<List<LifeRecord>> lives = new Long2ObjectHashMap<>();
    /** The Submit of the current group; null if it has none that is wanted: an answer without one is false, and no life. */
    private Submission submission;
    private long submittedId;
    /** The current lives by request; a Submit that is refused meanwhile does not affect them. */
    private final Long2ObjectHashMap<LifeRecord> open = new Long2ObjectHashMap<>();
    private final FirstTokenTimes firstToken = new FirstTokenTimes();
    private final List<Restart> restarts = new ArrayList<>();
    private long record;
    private long nowNanos;
    /** Why a step of the current group failed; empty if nobody said. */
    private String fault = "";
    /** Requests whose first token the current step gave, with the parts of the time to it. */
    private final Map<LifeRecord, List<Long>> firstTokens = new LinkedHashMap<>();
    private final SubmitCount submits = new SubmitCount();
    private final FoldedMatches matches;
    private final RunFold fold;

    /** A life while it is being collected. */
    private static final class LifeRecord
    {
        private final Submission submission;
        private final RefusalReason refusal;
        private final List<LifeEvent> events = new ArrayList<>();
        /** Of the current block table, by index. */
        private final TreeMap<Integer, HeldBlock> blocks = new TreeMap<>();
        private String clientId;
        private int tokens;

        private LifeRecord(final Submission submission, final RefusalReason refusal)
        {
            this.submission = submission;
            this.refusal = refusal;
        }

        /** Events, candidates and blocks. */
        private int size()
        {
            return events.size() + blocks.size() + events.stream().mapToInt(event ->
                event instanceof final LifeEvent.Placed placed ? placed.candidates().size() : 0).sum();
        }

        private RequestLife life()
        {
            return new RequestLife(
                submission, clientId, refusal, List.copyOf(events), List.copyOf(blocks.values()), tokens);
        }
    }

    /**
     * @param wanted   whether a request id is.
     * @param router   label of the configured router.
     * @param fallback label of its fallback; {@code null} if the run description names none.
     * @param matches  folds the matches that the router could have read, if it does not read matches.
     */
    LifeCollector(final LongPredicate wanted, final String router, final String fallback, final FoldedMatches matches)
    {
        this.matches = matches;
        fold = RunFold.within(matches, this);
        this.wanted = wanted;
        this.router = router;
        this.fallback = fallback == null ? "the fallback of " + router : fallback;
    }

    List<RequestLife> lives(final long requestId)
    {
        final List<LifeRecord> found = lives.get(requestId);
        return found == null ? List.of() : found.stream().map(LifeRecord::life).toList();
    }

    /** Forgets the lives of a request that has ended. */
    final void forget(final long requestId)
    {
        lives.remove(requestId);
    }

    /** A life has ended, or was refused. @param size of it: events, candidates and blocks. */
    void ended(final long requestId, final int size)
    {
    }

    /** A client's own id of a request. */
    void named(final long requestId, final String clientId)
    {
    }

    private LifeRecord add(final RefusalReason refusal)
    {
        final LifeRecord life = new LifeRecord(submission, refusal);
        lives.computeIfAbsent(submittedId, id -> new ArrayList<>()).add(life);
        return life;
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
        onGroup(groups.group(), 0, groups.groupLength(), groups.sequence(), groups.timeNanos());
    }

    /**
     * @param sequence  its record.
     * @param timeNanos of its input.
     */
    final void onGroup(
        final DirectBuffer group, final int offset, final int length, final long sequence, final long timeNanos)
    {
        record = sequence;
        nowNanos = timeNanos;
        submission = null;
        fault = "";
        fold.onGroup(group, offset, length, nowNanos);
    }

    @Override
    public void onSubmit(final SubmitDecoder asked)
    {
        final long id = asked.requestId();
        submits.add(id);
        if (wanted.test(id))
        {
            submittedId = id;
            submission = new Submission(nowNanos, asked.conversationId(), asked.deadlineNanos(), asked.promptTokens(),
                asked.maxNewTokens(), asked.priority(), asked.rankHint(), asked.rankHintRelaxed() == Flag.YES);
        }
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        if (submission != null && request.id() == submittedId)
        {
            open.put(submittedId, add(null));
            firstToken.onAccepted(submittedId, nowNanos);
        }
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        if (submission != null && answer.requestId() == submittedId)
        {
            add(answer.reason());
            ended(submittedId, 1);
        }
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        final LifeRecord life = open.get(decision.requestId());
        if (life == null)
        {
            return;
        }
        final int[] folded = matches.tokens(decision.requestId());
        final List<LifeEvent.Candidate> candidates = new ArrayList<>();
        for (final PlacedDecoder.CandidatesDecoder candidate : decision.candidates())
        {
            candidates.add(new LifeEvent.Candidate(candidate.rank(), candidate.score(), candidate.newWork(),
                candidate.loadTerm(), candidate.loadTokens(), FoldedMatches.of(decision, candidate, folded),
                candidate.matchUsed(), candidate.activeRequests(), candidate.deferredTokens(), candidate.evictedTokens()));
        }
        candidates.sort(Comparator.comparingInt(LifeEvent.Candidate::rank));
        life.events.add(new LifeEvent.Placed(nowNanos, decision.rank(), label(decision.decidedBy()),
            MatchGate.valueOf(decision.gate().name()), TieRule.valueOf(decision.tieRule().name()), decision.target(),
            decision.normaliser(), decision.matchesRead() == Flag.YES, List.copyOf(candidates)));
    }

    private String label(final DecidingRouter decidedBy)
    {
        return decidedBy == DecidingRouter.FALLBACK ? fallback : router;
    }

    @Override
    public void onStep(final StepView plan)
    {
        firstToken.onSchedule(plan, nowNanos);
        for (int i = 0; !open.isEmpty() && i < plan.changeCount(); i++)
        {
            final LifeRecord life = open.get(plan.changeRequestId(i));
            if (life != null)
            {
                final Origin origin = plan.changeIsPendingMatch(i) ? Origin.MATCHED_PENDING :
                    plan.changeIsMatch(i) ? Origin.MATCHED : Origin.ALLOCATED;
                life.blocks.put(plan.changeIndex(i), new HeldBlock(plan.changeIndex(i), plan.changeBlockId(i),
                    plan.changeIssue(i), origin, plan.rank(), plan.step()));
            }
        }
    }

    @Override
    public void onAdmitted(final RunRequest request, final StepView plan, final int index)
    {
        final LifeRecord life = open.get(plan.admittedRequestId(index));
        if (life != null)
        {
            life.events.add(new LifeEvent.Admitted(
                nowNanos, plan.rank(), plan.step(), plan.matchedBlocks(index), plan.isResumed(index)));
        }
    }

    @Override
    public void onFirstToken(final RunRequest request)
    {
        final LifeRecord life = open.get(request.id());
        if (life != null)
        {
            firstTokens.put(life, Arrays.stream(firstToken.onFirstToken(request.id(), nowNanos)).boxed().toList());
        }
    }

    @Override
    public void onTokens(final RunRequest request, final int count, final long sinceNanos)
    {
        final LifeRecord life = request == null ? null : open.get(request.id());
        if (life != null)
        {
            life.tokens += count;
        }
    }

    @Override
    public void onLanded(final RunStep step, final CommitView commit)
    {
        firstTokens.forEach((life, parts) ->
            life.events.add(new LifeEvent.FirstToken(nowNanos, commit.rank(), commit.step(), parts)));
        firstTokens.clear();
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        count(0, 1);
        final LifeRecord life = open.get(requeued.requestId());
        if (life == null)
        {
            return;
        }
        life.blocks.clear();
        final int released = requeued.released().count();
        final RequeueReason reason = requeued.reason();
        life.events.add(reason == RequeueReason.PREEMPTED ?
            new LifeEvent.Preempted(nowNanos, requeued.rank(), released) : reason == RequeueReason.NEW_WEIGHTS ?
            new LifeEvent.Outdated(nowNanos, requeued.rank(), released) :
            new LifeEvent.Requeued(nowNanos, requeued.rank(), released, fault));
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        final LifeRecord life = open.get(paused.requestId());
        if (life != null)
        {
            life.events.add(new LifeEvent.Paused(nowNanos, paused.rank(), paused.blocks()));
        }
    }

    @Override
    public void onContinued(final RunRequest request, final ContinuedDecoder continued)
    {
        final LifeRecord life = open.get(continued.requestId());
        if (life != null)
        {
            life.events.add(new LifeEvent.Continued(nowNanos, continued.rank()));
        }
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        final long id = end.requestId();
        final LifeRecord life = open.remove(id);
        if (life != null)
        {
            life.events.add(new LifeEvent.Ended(nowNanos, end.rank(), FinishReason.valueOf(end.reason().name()),
                end.generatedTokens(), end.capturedRows(), end.inheritedRows(), end.missingRows(), FreeSpans.of(end)));
            firstToken.onEnd(id);
            ended(id, life.size());
        }
    }

    /** A client's own id follows its request as a note. */
    @Override
    public void onControl(final ControlDecoder control)
    {
        final long id = control.requestId();
        final LifeRecord life = control.kind() == ControlKind.NOTE ? open.get(id) : null;
        if (life != null)
        {
            life.clientId = control.note();
            named(id, life.clientId);
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
