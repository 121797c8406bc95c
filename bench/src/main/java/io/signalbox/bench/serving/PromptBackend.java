// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.serving;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Answers each step at once, in a thread of its own: what is left is the engine and what is in front of it. */
final class PromptBackend implements Backend
{
    private static final int TOKEN = 'a';

    private final ExecutorService device = Executors.newSingleThreadExecutor(work ->
    {
        final Thread thread = new Thread(work, "device");
        thread.setDaemon(true);
        return thread;
    });
    private CompletionSink sink;

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("prompt").build();
    }

    @Override
    public void sizes(final RankSizes sizes)
    {
        // It has no memory.
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        sink = completions;
    }

    @Override
    public void submit(final StepView plan)
    {
        final int epoch = plan.epoch();
        final int rank = plan.rank();
        final long step = plan.step();
        final StepTokens results = new StepTokens().begin(plan);
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            results.entry(plan.start(entry));
            if (plan.samples(entry))
            {
                results.accept(TOKEN);
            }
        }
        device.execute(() ->
        {
            sink.forward(System.nanoTime(), epoch, rank, step, 0);
            sink.d2hComplete(System.nanoTime(), epoch, rank, step, results, null);
        });
    }

    @Override
    public void abort(final int rank, final long step)
    {
        // Nothing runs that could be ended.
    }

    @Override
    public void close()
    {
        device.shutdown();
    }
}
