// SPDX-License-Identifier: Apache-2.0
package com.example.backend;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Computes steps when they are submitted, and reports them from a thread. It needs no keys and values. */
final class BigramBackend implements Backend
{
    private final BigramModel model;
    private final LongSupplier clock;
    private final ExecutorService reports = Executors.newSingleThreadExecutor();
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

    @Override
    public void submit(final StepView step)
    {
        final int epoch = step.epoch();
        final int rank = step.rank();
        final long number = step.step();
        final StepTokens results = new StepTokens().begin(step);
        final BigramRows rows = shape == null ? null : new BigramRows(shape, step.tokens());
        for (int entry = 0; entry < step.entryCount(); entry++)
        {
            final RequestContent request = step.request(entry);
            final int end = step.start(entry) + step.tokenCount(entry);
            results.entry(step.start(entry));
            for (int position = step.start(entry); position < end && rows != null; position++)
            {
                rows.add(model.experts(model.state(request, position)));
            }
            if (step.samples(entry))
            {
                results.accept(model.next(model.state(request, end - 1), request, end));
            }
        }
        reports.execute(() -> report(epoch, rank, number, results, rows));
    }

    private void report(
        final int epoch, final int rank, final long step, final StepTokens results, final BigramRows rows)
    {
        try
        {
            sink.forward(clock.getAsLong(), epoch, rank, step, 0);
            sink.d2hComplete(clock.getAsLong(), epoch, rank, step, results, rows);
        }
        catch (final IllegalStateException e)
        {
            // The engine closes: nobody wants the result any more.
        }
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
        reports.shutdownNow();
        try
        {
            reports.awaitTermination(10, TimeUnit.SECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
