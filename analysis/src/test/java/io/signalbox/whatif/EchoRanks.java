// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Ranks that answer at once, on a thread, and sample the tokens of the prompt again; they do not say how long that took. */
final class EchoRanks implements Backend
{
    private final ExecutorService device = Executors.newSingleThreadExecutor();
    private CompletionSink sink;

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("echo").readsTokens(true).masksStopTokens(true).build();
    }

    @Override
    public void start(final int rankCount, final ModelShape shape, final CompletionSink completions)
    {
        sink = completions;
    }

    @Override
    public void submit(final StepView step)
    {
        final int epoch = step.epoch();
        final int rank = step.rank();
        final long number = step.step();
        final StepTokens results = new StepTokens().begin(step);
        for (int entry = 0; entry < step.entryCount(); entry++)
        {
            final RequestContent request = step.request(entry);
            results.entry(step.start(entry));
            if (step.samples(entry))
            {
                results.accept(sampled(request, step.start(entry) + step.tokenCount(entry)));
            }
        }
        device.execute(() ->
        {
            sink.forward(System.nanoTime(), epoch, rank, number, 0);
            sink.d2hComplete(System.nanoTime(), epoch, rank, number, results, null);
        });
    }

    private static int sampled(final RequestContent request, final int position)
    {
        int token = request.token(position % request.promptTokens());
        while (request.isLeftOut(position, token))
        {
            token++;
        }
        return token;
    }

    @Override
    public void abort(final int rank, final long step)
    {
        // The engine ignores a result that comes all the same.
    }

    @Override
    public void close()
    {
        device.shutdown();
    }
}
