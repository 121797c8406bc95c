// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import io.signalbox.event.StepView;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Collects the outcome of each request of a run. An id counts for its first request, unless the subclass forgets that.
 * Internal to the modules that read recorded runs.
 */
public class OutcomeCollector implements RunListener
{
    private final int blockSizeTokens;
    private final Long2ObjectHashMap<RequestOutcome> outcomes = new Long2ObjectHashMap<>();
    private long nowNanos;
    private long idsGivenAgain;

    public OutcomeCollector(final int blockSizeTokens)
    {
        this.blockSizeTokens = blockSizeTokens;
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
    public void onGroup(final long timeNanos)
    {
        nowNanos = timeNanos;
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        begin(request);
    }

    private RequestOutcome begin(final RunRequest request)
    {
        if (outcomes.containsKey(request.id()))
        {
            idsGivenAgain++;
            return null;
        }
        final RequestOutcome outcome = new RequestOutcome(request.id(), nowNanos, request.promptTokens());
        outcomes.put(request.id(), outcome);
        return outcome;
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        final RequestOutcome outcome = answer.reason() == RefusalReason.DUPLICATE_ID ? null : begin(request);
        if (outcome != null)
        {
            outcome.refusal = answer.reason();
            outcome.endNanos = nowNanos;
            onEnded(outcome);
        }
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        final RequestOutcome outcome = live(decision.requestId());
        if (outcome != null)
        {
            outcome.placed(decision.rank(), nowNanos);
        }
    }

    @Override
    public void onAdmitted(final RunRequest request, final StepView plan, final int index)
    {
        update(request);
    }

    @Override
    public void onFirstToken(final RunRequest request)
    {
        update(request);
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        update(request);
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        update(request);
    }

    private RequestOutcome update(final RunRequest request)
    {
        final RequestOutcome outcome = request == null ? null : live(request.id());
        if (outcome != null)
        {
            outcome.update(request, blockSizeTokens);
        }
        return outcome;
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        final RequestOutcome outcome = update(request);
        if (outcome != null)
        {
            outcome.end = end.reason();
            outcome.endNanos = nowNanos;
            outcome.generatedTokens = end.generatedTokens();
            onEnded(outcome);
        }
    }
}
