// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Samples the position of each token: token {@code i} of a request with a prompt of {@code p} tokens is {@code p + i}. Each
 * rank has a thread, and takes a while for each step if the test wants.
 */
public class CountingBackend implements Backend
{
    private final List<ExecutorService> ranks = new ArrayList<>();
    private final long stepNanos;
    private ModelShape shape;
    private CompletionSink sink;
    private volatile boolean closed;

    CountingBackend(final long stepNanos)
    {
        this.stepNanos = stepNanos;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("counting").capturesExperts(true).capturesCombineWeights(true).swapsWeights(true)
            .build();
    }

    @Override
    public void start(final int count, final ModelShape captureShape, final CompletionSink completions)
    {
        shape = captureShape;
        sink = completions;
        for (int rank = 0; rank < count; rank++)
        {
            ranks.add(Executors.newSingleThreadExecutor(work ->
            {
                final Thread thread = new Thread(work, "counting-rank");
                thread.setDaemon(true);
                return thread;
            }));
        }
    }

    @Override
    public void submit(final StepView plan)
    {
        final int rank = plan.rank();
        final int epoch = plan.epoch();
        final long step = plan.step();
        final int rows = plan.tokens();
        final StepTokens tokens = new StepTokens().begin(plan);
        for (int i = 0; i < plan.entryCount(); i++)
        {
            tokens.entry(plan.start(i));
            if (plan.samples(i))
            {
                tokens.accept(plan.start(i) + plan.tokenCount(i));
            }
        }
        try
        {
            ranks.get(rank).execute(() -> complete(rank, epoch, step, tokens, rows));
        }
        catch (final RejectedExecutionException e)
        {
            // Closed.
        }
    }

    private void complete(final int rank, final int epoch, final long step, final StepTokens tokens, final int rows)
    {
        if (stepNanos > 0)
        {
            LockSupport.parkNanos(stepNanos);
        }
        try
        {
            sink.forward(CompletionSink.NOW, epoch, rank, step, 0);
            sink.d2hComplete(CompletionSink.NOW, epoch, rank, step, tokens, shape == null ? null : rows(rows));
        }
        catch (final IllegalStateException e)
        {
            // The engine closes.
        }
    }

    private HeapSlice rows(final int count)
    {
        return ScriptedBackend.rows(shape, count);
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        // They sample the same.
    }

    @Override
    public void abort(final int rank, final long step)
    {
    }

    boolean isClosed()
    {
        return closed;
    }

    @Override
    public void close()
    {
        closed = true;
        ranks.forEach(ExecutorService::shutdownNow);
    }
}
