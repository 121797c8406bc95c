// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.inspect;

import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.inspect.RequestInspection.Submits;
import io.signalbox.journal.inspect.RequestLife.Submission;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Picks out of groups, in their order, what concerns one request id. */
final class LifeCollector
{
    private static final int NO_TOKEN = -1;

    private final long requestId;
    private final String router;
    private final String fallback;
    private final GroupReader messages = new GroupReader();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final SubmitDecoder submit = new SubmitDecoder();
    private final AcceptedDecoder accepted = new AcceptedDecoder();
    private final RefusedDecoder refused = new RefusedDecoder();
    private final PlacedDecoder placed = new PlacedDecoder();
    private final ScheduleDecoder schedule = new ScheduleDecoder();
    private final CommitDecoder commit = new CommitDecoder();
    private final RequeuedDecoder requeued = new RequeuedDecoder();
    private final FreeDecoder free = new FreeDecoder();
    private final List<LifeRecord> lives = new ArrayList<>();
    /** The Submit of the current group; null where it has none with this id. */
    private Submission submission;
    /** The life that is under way; a Submit that is refused meanwhile does not touch it. */
    private LifeRecord open;
    private long nowNanos;
    private long submits;
    private long lowestId;
    private long highestId;

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
     * @param fallback label of its fallback; {@code null} if it has none.
     */
    LifeCollector(final long requestId, final String router, final String fallback)
    {
        this.requestId = requestId;
        this.router = router;
        this.fallback = fallback;
    }

    List<RequestLife> lives()
    {
        return lives.stream().map(LifeRecord::life).toList();
    }

    long nowNanos()
    {
        return nowNanos;
    }

    Submits submits()
    {
        return new Submits(submits, lowestId, highestId);
    }

    void onGroup(final DirectBuffer group, final int length, final long timeNanos)
    {
        nowNanos = timeNanos;
        submission = null;
        messages.wrap(group, 0, length);
        while (messages.next())
        {
            switch (messages.templateId())
            {
                case SubmitDecoder.TEMPLATE_ID ->
                    onSubmit(submit.wrapAndApplyHeader(group, messages.offset(), header));
                case AcceptedDecoder.TEMPLATE_ID ->
                    onAccepted(accepted.wrapAndApplyHeader(group, messages.offset(), header));
                case RefusedDecoder.TEMPLATE_ID ->
                    onRefused(refused.wrapAndApplyHeader(group, messages.offset(), header));
                default ->
                {
                    if (open != null)
                    {
                        onDecision(group);
                    }
                }
            }
        }
    }

    private void onDecision(final DirectBuffer group)
    {
        switch (messages.templateId())
        {
            case PlacedDecoder.TEMPLATE_ID -> onPlaced(placed.wrapAndApplyHeader(group, messages.offset(), header));
            case ScheduleDecoder.TEMPLATE_ID ->
                onSchedule(schedule.wrapAndApplyHeader(group, messages.offset(), header));
            case CommitDecoder.TEMPLATE_ID -> onCommit(commit.wrapAndApplyHeader(group, messages.offset(), header));
            case RequeuedDecoder.TEMPLATE_ID ->
                onRequeued(requeued.wrapAndApplyHeader(group, messages.offset(), header));
            case FreeDecoder.TEMPLATE_ID -> onFree(free.wrapAndApplyHeader(group, messages.offset(), header));
            default ->
            {
                // The other inputs show in their outputs, and digests concern no request.
            }
        }
    }

    private void onSubmit(final SubmitDecoder asked)
    {
        final long id = asked.requestId();
        lowestId = submits == 0 ? id : Math.min(lowestId, id);
        highestId = submits == 0 ? id : Math.max(highestId, id);
        submits++;
        if (id == requestId)
        {
            submission = new Submission(nowNanos, asked.conversationId(), asked.deadlineNanos(), asked.promptTokens(),
                asked.maxNewTokens(), asked.priority(), asked.rankHint(), asked.rankHintRelaxed() == Flag.YES);
        }
    }

    private void onAccepted(final AcceptedDecoder answer)
    {
        if (answer.requestId() == requestId)
        {
            open = new LifeRecord(submission, null);
            lives.add(open);
        }
    }

    private void onRefused(final RefusedDecoder answer)
    {
        if (answer.requestId() == requestId)
        {
            lives.add(new LifeRecord(submission, answer.reason()));
        }
    }

    private void onPlaced(final PlacedDecoder decision)
    {
        if (decision.requestId() != requestId)
        {
            return;
        }
        final List<LifeEvent.Candidate> candidates = new ArrayList<>();
        for (final PlacedDecoder.CandidatesDecoder candidate : decision.candidates())
        {
            candidates.add(new LifeEvent.Candidate(candidate.rank(), candidate.score(), candidate.newWork(),
                candidate.loadTerm(), candidate.loadTokens(), candidate.matchedTokens(), candidate.matchUsed(),
                candidate.activeRequests()));
        }
        candidates.sort(Comparator.comparingInt(LifeEvent.Candidate::rank));
        open.events.add(new LifeEvent.Placed(nowNanos, decision.rank(), label(decision.decidedBy()),
            decision.gate(), decision.tieRule(), decision.target(), decision.normaliser(), List.copyOf(candidates)));
    }

    private String label(final DecidingRouter decidedBy)
    {
        return decidedBy == DecidingRouter.FALLBACK && fallback != null ? fallback : router;
    }

    private void onSchedule(final ScheduleDecoder plan)
    {
        for (final ScheduleDecoder.PreemptedDecoder preempted : plan.preempted())
        {
            if (preempted.requestId() == requestId)
            {
                open.events.add(
                    new LifeEvent.Preempted(nowNanos, plan.rank(), plan.step(), preempted.releasedBlocks()));
            }
        }
        for (final ScheduleDecoder.AdmittedDecoder admitted : plan.admitted())
        {
            if (admitted.requestId() == requestId)
            {
                open.events.add(new LifeEvent.Admitted(
                    nowNanos, plan.rank(), plan.step(), admitted.matchedBlocks(), admitted.resumed() == Flag.YES));
            }
        }
    }

    private void onCommit(final CommitDecoder step)
    {
        for (final CommitDecoder.RowsDecoder row : step.rows())
        {
            if (row.requestId() == requestId && row.emittedTokenId() != NO_TOKEN && open.tokens++ == 0)
            {
                open.events.add(new LifeEvent.FirstToken(nowNanos, step.rank(), step.step()));
            }
        }
    }

    private void onRequeued(final RequeuedDecoder failed)
    {
        if (failed.requestId() == requestId)
        {
            open.events.add(new LifeEvent.Requeued(nowNanos, failed.rank(), failed.released().count()));
        }
    }

    private void onFree(final FreeDecoder end)
    {
        if (end.requestId() == requestId)
        {
            open.events.add(new LifeEvent.Ended(nowNanos, end.rank(), end.reason(), end.generatedTokens(),
                end.capturedRows(), end.inheritedRows(), end.missingRows()));
            open = null;
        }
    }
}
