// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Collects from the groups of a run, in their order, the outcome of each request. An id counts for its first request, unless
 * the subclass forgets that. Internal to the modules that read recorded runs.
 */
public class OutcomeCollector extends EventReader
{
    private final int blockSizeTokens;
    private final Long2ObjectHashMap<RequestOutcome> outcomes = new Long2ObjectHashMap<>();
    private long nowNanos;
    private int promptTokens;
    private long idsGivenAgain;
    /** Requests that were admitted and have no token yet: of the others, no step says anything that counts here. */
    private long tokenless;

    public OutcomeCollector(final int blockSizeTokens)
    {
        this.blockSizeTokens = blockSizeTokens;
    }

    public final void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        // Different clocks may stamp the inputs; the time of a run never decreases.
        nowNanos = Math.max(nowNanos, GroupReader.inputTimeNanos(group, offset, length));
        readGroup(group, offset, length);
    }

    public final long nowNanos()
    {
        return nowNanos;
    }

    public final Long2ObjectHashMap<RequestOutcome> outcomes()
    {
        return outcomes;
    }

    /** Requests whose id an earlier one had; they are left out. */
    public final long idsGivenAgain()
    {
        return idsGivenAgain;
    }

    /** The request while it lives; {@code null} if it is not known, or has ended. */
    public final RequestOutcome live(final long requestId)
    {
        final RequestOutcome outcome = outcomes.get(requestId);
        return outcome == null || outcome.hasEnded() ? null : outcome;
    }

    /** Receives each request that has ended or was refused; keeps it by default. */
    protected void onEnded(final RequestOutcome outcome)
    {
        // All outcomes are kept.
    }

    /** Forgets a request that has ended, so that its id may be given again. */
    protected final void forget(final RequestOutcome outcome)
    {
        outcomes.remove(outcome.requestId());
    }

    @Override
    protected void onSubmit(final SubmitDecoder request)
    {
        promptTokens = request.promptTokens();
    }

    @Override
    protected void onAccepted(final AcceptedDecoder answer)
    {
        begin(answer.requestId());
    }

    private RequestOutcome begin(final long requestId)
    {
        if (outcomes.containsKey(requestId))
        {
            idsGivenAgain++;
            return null;
        }
        final RequestOutcome outcome = new RequestOutcome(requestId, nowNanos, promptTokens);
        outcomes.put(requestId, outcome);
        return outcome;
    }

    @Override
    protected void onRefused(final RefusedDecoder answer)
    {
        final RequestOutcome outcome = answer.reason() == RefusalReason.DUPLICATE_ID ? null : begin(answer.requestId());
        if (outcome != null)
        {
            outcome.refusal = answer.reason();
            outcome.endNanos = nowNanos;
            onEnded(outcome);
        }
    }

    @Override
    protected void onPlaced(final PlacedDecoder decision)
    {
        final RequestOutcome outcome = live(decision.requestId());
        if (outcome != null)
        {
            outcome.placed(decision.rank(), nowNanos);
        }
    }

    @Override
    protected void onSchedule(final StepView plan)
    {
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            final RequestOutcome outcome = live(plan.admittedRequestId(i));
            if (outcome != null)
            {
                admit(outcome, plan.matchedBlocks(i));
            }
        }
    }

    private void admit(final RequestOutcome outcome, final int matchedBlocks)
    {
        if (!outcome.isAdmitted())
        {
            outcome.admittedNanos = nowNanos;
            tokenless++;
        }
        if (!outcome.matched)
        {
            outcome.matched = true;
            outcome.matchedTokens = matchedBlocks * blockSizeTokens;
        }
    }

    @Override
    protected void onCommit(final CommitView step)
    {
        final int entries = tokenless == 0 ? 0 : step.entryCount();
        for (int entry = 0; entry < entries; entry++)
        {
            if (step.advance(entry) > 0)
            {
                land(live(step.requestId(entry)), step.emitted(entry));
            }
        }
    }

    private void land(final RequestOutcome outcome, final int emitted)
    {
        if (outcome == null)
        {
            return;
        }
        outcome.landed = true;
        if (emitted > 0 && outcome.firstTokenNanos == RequestOutcome.NONE)
        {
            outcome.firstTokenNanos = nowNanos;
            tokenless--;
        }
    }

    @Override
    protected void onRequeued(final RequeuedDecoder requeued)
    {
        final RequestOutcome outcome = live(requeued.requestId());
        if (outcome != null)
        {
            if (!outcome.landed)
            {
                // The step of the admission was withdrawn, so the request has not used the cached tokens.
                outcome.matched = false;
                outcome.matchedTokens = 0;
            }
            outcome.preemptions += requeued.reason() == RequeueReason.PREEMPTED ? 1 : 0;
            outcome.restarts += requeued.reason() == RequeueReason.PREEMPTED ? 0 : 1;
        }
    }

    @Override
    protected void onPaused(final PausedDecoder paused)
    {
        final RequestOutcome outcome = live(paused.requestId());
        if (outcome != null)
        {
            outcome.pauses++;
        }
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        final RequestOutcome outcome = live(end.requestId());
        if (outcome != null)
        {
            tokenless -= outcome.isAdmitted() && !outcome.hasFirstToken() ? 1 : 0;
            outcome.end = end.reason();
            outcome.endNanos = nowNanos;
            outcome.generatedTokens = end.generatedTokens();
            onEnded(outcome);
        }
    }
}
