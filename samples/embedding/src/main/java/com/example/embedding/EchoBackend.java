// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

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

/** A model that repeats its prompt, on one thread: the smallest backend that generates tokens and captures experts. */
final class EchoBackend implements Backend
{
    private final ExecutorService device = Executors.newSingleThreadExecutor();
    private ModelShape shape;
    private CompletionSink sink;

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("echo").readsTokens(true).capturesExperts(true).swapsWeights(true).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captured, final CompletionSink completions)
    {
        shape = captured;
        sink = completions;
    }

    /** The plan is valid during the call only, so everything that the step needs is read here. */
    @Override
    public void submit(final StepView step)
    {
        final int epoch = step.epoch();
        final int rank = step.rank();
        final long number = step.step();
        final StepTokens results = new StepTokens().begin(step);
        final int[] fed = new int[step.tokens()];
        int tokens = 0;
        for (int entry = 0; entry < step.entryCount(); entry++)
        {
            final RequestContent request = step.request(entry);
            final int end = step.start(entry) + step.tokenCount(entry);
            results.entry(step.start(entry));
            for (int position = step.start(entry); position < end; position++)
            {
                fed[tokens++] = request.token(position);
            }
            if (step.samples(entry))
            {
                results.accept(request.token(end % request.promptTokens()));
            }
        }
        device.execute(() -> run(epoch, rank, number, results, fed));
    }

    private void run(final int epoch, final int rank, final long step, final StepTokens results, final int[] fed)
    {
        try
        {
            // Before the work: the time up to the completion is the time that the step takes.
            sink.forward(CompletionSink.NOW, epoch, rank, step, 0);
            final EchoRows rows = shape == null ? null : new EchoRows(shape, fed);
            sink.d2hComplete(CompletionSink.NOW, epoch, rank, step, results, rows);
        }
        catch (final IllegalStateException e)
        {
            // The engine closes: nobody wants the result any more.
        }
    }

    @Override
    public void abort(final int rank, final long step)
    {
        // A result that comes all the same is ignored by the engine.
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        // An echo is the same with all weights.
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
