// SPDX-License-Identifier: Apache-2.0
package com.example.backend;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Computes one step after the other, in a thread. It needs no keys and values. */
final class BigramBackend implements Backend
{
    private final BigramModel model;
    private final LongSupplier clock;
    private final ExecutorService device = Executors.newSingleThreadExecutor();
    private ModelShape shape;
    private CompletionSink sink;

    BigramBackend(final BigramModel model, final LongSupplier clock)
    {
        this.model = model;
        this.clock = clock;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("bigram").readsTokens(true).capturesExperts(true).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captured, final CompletionSink completions)
    {
        shape = captured;
        sink = completions;
    }

    /** The plan is valid during the call only, so everything that the step needs is copied here. */
    @Override
    public void submit(final StepView step)
    {
        final BigramStep copy = BigramStep.of(step, model.window());
        device.execute(() -> run(copy));
    }

    private void run(final BigramStep step)
    {
        try
        {
            // Before the work: the time up to the completion is the time that the step takes.
            sink.forward(clock.getAsLong(), step.epoch(), step.rank(), step.number(), 0);
            final BigramRows rows = shape == null ? null : new BigramRows(shape, step.tokens());
            final StepTokens results = compute(step, rows);
            sink.d2hComplete(clock.getAsLong(), step.epoch(), step.rank(), step.number(), results, rows);
        }
        catch (final IllegalStateException e)
        {
            // The engine closes: nobody wants the result any more.
        }
    }

    private StepTokens compute(final BigramStep step, final BigramRows rows)
    {
        final StepTokens results = new StepTokens().begin(step.epoch(), step.rank(), step.number());
        for (final BigramStep.Entry entry : step.entries())
        {
            results.entry(entry.start());
            for (int position = entry.start(); position < entry.end() && rows != null; position++)
            {
                rows.add(model.experts(model.state(entry, position)));
            }
            if (entry.samples())
            {
                results.accept(model.next(model.state(entry, entry.end() - 1), entry));
            }
        }
        return results;
    }

    @Override
    public void abort(final int rank, final long step)
    {
        // The engine ignores the result of a withdrawn step.
    }

    /** Nothing is reported once this has returned. */
    @Override
    public void close()
    {
        device.shutdownNow();
        try
        {
            device.awaitTermination(10, TimeUnit.SECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
