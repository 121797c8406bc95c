// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.weights;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.serving.ModelBackend;

/**
 * A backend that looks for weights below a root if it is to have weights that nobody has prepared: those of a run that
 * another process began.
 */
final class RootedBackend implements Backend
{
    private final ModelBackend backend;
    private final WeightsRoot root;

    RootedBackend(final ModelBackend backend, final WeightsRoot root)
    {
        this.backend = backend;
        this.root = root;
    }

    @Override
    public void expectWeights(final String version)
    {
        try
        {
            backend.expectWeights(version);
        }
        catch (final IllegalArgumentException e)
        {
            load(version, e);
            backend.expectWeights(version);
        }
    }

    private void load(final String version, final IllegalArgumentException unknown)
    {
        final int at = version.lastIndexOf('@');
        if (at <= 0)
        {
            throw unknown;
        }
        final String name = version.substring(0, at);
        final String loaded;
        try
        {
            loaded = root.prepare(name);
        }
        catch (final ConfigException e)
        {
            throw new IllegalArgumentException(unknown.getMessage() + ": " + e.getMessage().replaceFirst("[.]$", ""));
        }
        if (!loaded.equals(version))
        {
            throw new IllegalArgumentException("the checkpoint " + name + " has the version '" + loaded + "' instead of '" +
                version + "'; put the checkpoint of the run there again");
        }
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
