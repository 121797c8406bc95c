// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.SeededTokens;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** Answers every request with seeded tokens, one step of one rank at a time, when the test asks for it. */
final class AnsweringBackend implements Backend
{
    private final StepTokens results = new StepTokens();
    private ModelShape shape;
    private CompletionSink sink;
    private long step;
    private int epoch;
    private int tokens;

    static int token(final long requestId, final int position)
    {
        return SeededTokens.token(7, requestId, position);
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("answering").capturesExperts(true).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captureShape, final CompletionSink completions)
    {
        shape = captureShape;
        sink = completions;
    }

    @Override
    public void submit(final StepView plan)
    {
        step = plan.step();
        epoch = plan.epoch();
        tokens = plan.tokens();
        results.begin(plan);
        for (int i = 0; i < plan.entryCount(); i++)
        {
            results.entry(plan.start(i));
            if (plan.samples(i))
            {
                results.accept(token(plan.requestId(i), plan.start(i) + plan.tokenCount(i)));
            }
        }
    }

    /** Completes the step that is in flight, if there is one. */
    boolean completeNext()
    {
        if (tokens == 0)
        {
            return false;
        }
        final int rows = tokens;
        tokens = 0;
        sink.d2hComplete(CompletionSink.NOW, epoch, 0, step, results,
            shape == null ? null : ScriptedBackend.rows(shape, rows));
        return true;
    }

    @Override
    public void abort(final int rank, final long abortedStep)
    {
        tokens = abortedStep == step ? 0 : tokens;
    }

    @Override
    public void close()
    {
        // Holds nothing.
    }
}
