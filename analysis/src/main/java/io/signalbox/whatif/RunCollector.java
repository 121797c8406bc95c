// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.state.FoldedMatches;
import io.signalbox.stats.OutcomeCollector;
import org.agrona.DirectBuffer;

/** Collects the outcomes of a run, its decisions as a digest, and the score tables of its placements. */
class RunCollector extends OutcomeCollector implements GroupJournal
{
    private final PlacementLog placements = new PlacementLog();
    private final DecisionDigest digest = new DecisionDigest();
    /** {@code null}: not asked for. */
    private final ComputedTokens computed;
    private final FoldedMatches matches;

    /**
     * @param matches        folds the matches that the router could have read, if it does not read matches.
     * @param countsComputed whether {@link #computed()} will be used.
     */
    RunCollector(final int blockSizeTokens, final FoldedMatches matches, final boolean countsComputed)
    {
        super(blockSizeTokens);
        this.matches = matches;
        computed = countsComputed ? new ComputedTokens() : null;
    }

    /** Which tokens of which request were computed; {@code null} if that was not asked for. */
    final ComputedTokens computed()
    {
        return computed;
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        onGroup(group, offset, length);
    }

    @Override
    public void endOfBatch()
    {
        // Nothing is buffered.
    }

    @Override
    public void close()
    {
        // The outcomes are read later.
    }

    final PlacementLog placements()
    {
        return placements;
    }

    /** Of all decisions so far. */
    final String digest()
    {
        return digest.text();
    }

    @Override
    protected void onSubmit(final SubmitDecoder submit)
    {
        super.onSubmit(submit);
        matches.onSubmit(submit);
    }

    @Override
    protected void onAccepted(final AcceptedDecoder answer)
    {
        super.onAccepted(answer);
        matches.onAccepted(answer.requestId());
    }

    @Override
    protected void onControl(final ControlDecoder control)
    {
        matches.onControl(control);
    }

    @Override
    protected void onNewWeights(final NewWeightsDecoder change)
    {
        matches.onNewWeights();
    }

    @Override
    protected void onBackendReset(final BackendResetDecoder reset)
    {
        matches.onBackendReset(reset);
    }

    @Override
    protected void onRefused(final RefusedDecoder answer)
    {
        super.onRefused(answer);
        digest.add(answer.requestId(), nowNanos() + answer.reason().value());
    }

    @Override
    protected void onPlaced(final PlacedDecoder decision)
    {
        digest.add(decision.requestId(), nowNanos() + decision.rank());
        super.onPlaced(decision);
        matches.onPlaced(decision);
        if (live(decision.requestId()) != null)
        {
            placements.onPlaced(decision, nowNanos(), matches.tokens(decision.requestId()));
        }
    }

    @Override
    protected void onSchedule(final StepView plan)
    {
        super.onSchedule(plan);
        matches.onSchedule(plan);
        digest.addStep(nowNanos(), plan);
    }

    @Override
    protected void onCommit(final CommitView step)
    {
        super.onCommit(step);
        matches.onCommit(step);
        for (int entry = 0; computed != null && entry < step.entryCount(); entry++)
        {
            computed.add(step.requestId(entry), step.start(entry), step.advance(entry));
        }
    }

    @Override
    protected void onRequeued(final RequeuedDecoder requeued)
    {
        super.onRequeued(requeued);
        digest.add(requeued.requestId(), nowNanos() + requeued.reason().value());
    }

    @Override
    protected void onPaused(final PausedDecoder paused)
    {
        super.onPaused(paused);
        digest.add(paused.requestId(), nowNanos() + paused.blocks());
    }

    @Override
    protected void onContinued(final ContinuedDecoder continued)
    {
        digest.add(~continued.requestId(), nowNanos());
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        super.onFree(end);
        matches.onFree(end.requestId());
        digest.add(end.requestId(), nowNanos() + end.reason().value());
        digest.add(end.rank(), end.generatedTokens());
    }
}
