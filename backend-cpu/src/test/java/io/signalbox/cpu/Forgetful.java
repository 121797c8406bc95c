// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** Does not ask its backend whether it has the weights that are announced. */
record Forgetful(Backend backend) implements Backend
{
    @Override
    public BackendCapabilities capabilities()
    {
        return backend.capabilities();
    }

    @Override
    public void sizes(final RankSizes sizes)
    {
        backend.sizes(sizes);
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        backend.start(ranks, shape, completions);
    }

    @Override
    public void submit(final StepView step)
    {
        backend.submit(step);
    }

    @Override
    public void abort(final int rank, final long step)
    {
        backend.abort(rank, step);
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        backend.newWeights(generation, version);
    }

    @Override
    public boolean reset(final int rank)
    {
        return backend.reset(rank);
    }

    @Override
    public void close()
    {
        backend.close();
    }
}
