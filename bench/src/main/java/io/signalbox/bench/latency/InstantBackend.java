// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** Reports each step within the call that submits it. It reads the tokens of its requests, as a real backend does. */
final class InstantBackend implements Backend
{
    private final StageTimes times;
    private final StepTokens results = new StepTokens();
    private CompletionSink sink;

    /** @param times receives the times of each step; {@code null} if nobody wants them. */
    InstantBackend(final StageTimes times)
    {
        this.times = times;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("instant").readsTokens(true).depth(2).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captured, final CompletionSink completions)
    {
        sink = completions;
    }

    @Override
    public void submit(final StepView step)
    {
        if (times != null)
        {
            times.stamp(StageTimes.Stage.DISPATCHED);
        }
        results.begin(step);
        for (int entry = 0; entry < step.entryCount(); entry++)
        {
            results.entry(step.start(entry));
            if (step.samples(entry))
            {
                results.accept(step.request(entry).token(step.start(entry)));
            }
        }
        sink.forward(System.nanoTime(), step.epoch(), step.rank(), step.step(), 0);
        if (times != null)
        {
            times.stamp(StageTimes.Stage.REPORTED);
        }
        sink.d2hComplete(System.nanoTime(), step.epoch(), step.rank(), step.step(), results, null);
    }

    @Override
    public void abort(final int rank, final long step)
    {
        throw new IllegalStateException("step " + step + " of rank " + rank + " was aborted, but no step is ever open");
    }

    @Override
    public void close()
    {
    }
}
