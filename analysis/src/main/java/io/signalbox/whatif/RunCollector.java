// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import io.signalbox.stats.OutcomeCollector;

/** Collects the outcomes of a run, its decisions as a digest, and the score tables of its placements. */
class RunCollector extends OutcomeCollector
{
    private final PlacementLog placements = new PlacementLog();
    private final DecisionDigest digest = new DecisionDigest();
    /** {@code null}: not asked for. */
    private final ComputedTokens computed;
    private final FoldedMatches matches;

    /**
     * @param matches        folds the matches that the router could have read, if it does not read matches; listens ahead of
     *                       this collector.
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
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        super.onRefused(request, answer);
        digest.add(answer.requestId(), nowNanos() + answer.reason().value());
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        digest.add(decision.requestId(), nowNanos() + decision.rank());
        super.onPlaced(request, decision);
        if (live(decision.requestId()) != null)
        {
            placements.onPlaced(decision, nowNanos(), matches.tokens(decision.requestId()));
        }
    }

    @Override
    public void onStep(final StepView plan)
    {
        digest.addStep(nowNanos(), plan);
    }

    @Override
    public void onLanded(final RunStep step, final CommitView commit)
    {
        for (int entry = 0; computed != null && entry < commit.entryCount(); entry++)
        {
            computed.add(commit.requestId(entry), commit.start(entry), commit.advance(entry));
        }
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        super.onRequeued(request, requeued);
        digest.add(requeued.requestId(), nowNanos() + requeued.reason().value());
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        super.onPaused(request, paused);
        digest.add(paused.requestId(), nowNanos() + paused.blocks());
    }

    @Override
    public void onContinued(final RunRequest request, final ContinuedDecoder continued)
    {
        digest.add(~continued.requestId(), nowNanos());
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        super.onEnded(request, end);
        digest.add(end.requestId(), nowNanos() + end.reason().value());
        digest.add(end.rank(), end.generatedTokens());
    }
}
