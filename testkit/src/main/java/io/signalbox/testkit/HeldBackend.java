// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Computes {@link ContextModel} and holds each step until it is asked to launch, complete or fail it. */
final class HeldBackend implements Backend
{
    private final List<Deque<HeldStep>> held = new ArrayList<>();
    private ContextModel model = new ContextModel(null);
    private CompletionSink sink;

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("harness").readsTokens(true).capturesExperts(true)
            .capturesCombineWeights(true).resetsRanks(true).swapsWeights(true).writesKvFirst(true)
            .depth(SchedulerConfig.MAX_DEPTH).build();
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        model = new ContextModel(shape);
        sink = completions;
        for (int rank = 0; rank < ranks; rank++)
        {
            held.add(new ArrayDeque<>());
        }
    }

    @Override
    public void submit(final StepView step)
    {
        held.get(step.rank()).add(HeldStep.of(step, model));
    }

    ContextModel model()
    {
        return model;
    }

    int stepsInFlight(final int rank)
    {
        return held.get(rank).size();
    }

    /** Reports the launch of the oldest step that was not launched; returns whether there was one. */
    boolean launch(final int rank)
    {
        for (final HeldStep step : held.get(rank))
        {
            if (!step.isLaunched())
            {
                step.launch(sink);
                return true;
            }
        }
        return false;
    }

    /** Reports the oldest step complete; returns whether there was one. */
    boolean complete(final int rank)
    {
        final HeldStep step = held.get(rank).peek();
        if (step == null)
        {
            return false;
        }
        if (!step.isLaunched())
        {
            // A launch may bring a further step.
            step.launch(sink);
        }
        held.get(rank).remove(step);
        step.complete(sink);
        return true;
    }

    /** Reports that the oldest step failed; returns whether there was one. */
    boolean fail(final int rank, final StepFault faultClass)
    {
        final HeldStep step = held.get(rank).poll();
        if (step != null)
        {
            step.fail(sink, faultClass);
        }
        return step != null;
    }

    @Override
    public void abort(final int rank, final long step)
    {
        held.get(rank).removeIf(each -> each.is(step));
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        // They compute the same.
    }

    @Override
    public boolean reset(final int rank)
    {
        held.get(rank).clear();
        return false;
    }

    @Override
    public void close()
    {
        held.forEach(Deque::clear);
    }
}
