// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** Keeps a step until it is asked to answer it; reads the last token of each request, as a real backend reads all. */
final class AnsweringBackend implements Backend
{
    private final StepTokens results = new StepTokens();
    private CompletionSink sink;
    private int epoch;
    private long step;

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("answering").readsTokens(true).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captured, final CompletionSink completions)
    {
        sink = completions;
    }

    @Override
    public void submit(final StepView plan)
    {
        epoch = plan.epoch();
        step = plan.step();
        results.begin(plan);
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            results.entry(plan.start(entry));
            if (plan.samples(entry))
            {
                results.accept(plan.request(entry).token(plan.start(entry)));
            }
        }
    }

    void answer()
    {
        sink.forward(System.nanoTime(), epoch, 0, step, 0);
        sink.d2hComplete(System.nanoTime(), epoch, 0, step, results, null);
    }

    @Override
    public void abort(final int rank, final long aborted)
    {
        throw new IllegalStateException("step " + aborted + " was aborted, but no step is ever open");
    }

    @Override
    public void close()
    {
    }
}
