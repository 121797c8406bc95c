// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

import java.util.Objects;

/** Passes every call on to another backend. A subclass changes the calls that it overrides. */
public abstract class ForwardingBackend implements Backend
{
    private final Backend backend;

    /** @param backend receives the calls. */
    protected ForwardingBackend(final Backend backend)
    {
        this.backend = Objects.requireNonNull(backend, "the backend is null; give one");
    }

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
    public void expectWeights(final String version)
    {
        backend.expectWeights(version);
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
    public long stepTimeoutNanos()
    {
        return backend.stepTimeoutNanos();
    }

    @Override
    public long closeTimeoutNanos()
    {
        return backend.closeTimeoutNanos();
    }

    @Override
    public void close()
    {
        backend.close();
    }
}
