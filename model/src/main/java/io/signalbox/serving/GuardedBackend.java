// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.ConfigException;
import io.signalbox.PluginFault;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.ModelWeights;

import java.util.function.Supplier;

/** A backend whose exceptions name it. Adds no garbage to a step. */
final class GuardedBackend implements ModelBackend
{
    private final String label;
    private final int[] endTokens;
    private final Backend backend;

    private GuardedBackend(final String label, final int[] endTokens, final Backend backend)
    {
        this.label = label;
        this.endTokens = endTokens.clone();
        this.backend = backend;
    }

    /**
     * @param endTokens of the model, for a backend that declares none.
     * @throws ConfigException if the backend cannot be made.
     */
    static ModelBackend of(final String label, final int[] endTokens, final Supplier<Backend> maker)
    {
        final Backend made;
        try
        {
            made = maker.get();
        }
        // A plug-in can throw any error.
        catch (final Throwable e)
        {
            throw fault(label, "it was made", e);
        }
        if (made == null)
        {
            throw fault(label, "returned null when it was made");
        }
        return new GuardedBackend(label, endTokens, made);
    }

    private static ConfigException fault(final String label, final String fault)
    {
        return new ConfigException("the backend " + label + " " + fault +
            "; report it to the author of the backend, or use another one.");
    }

    /** Returns a refusal as it is. */
    private static ConfigException fault(final String label, final String when, final Throwable thrown)
    {
        if (thrown instanceof ConfigException refusal)
        {
            return refusal;
        }
        final ConfigException fault = fault(label, "threw " + PluginFault.of(thrown) + " when " + when);
        fault.initCause(thrown);
        return fault;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        final BackendCapabilities declared;
        try
        {
            declared = backend.capabilities();
        }
        catch (final Throwable e)
        {
            throw fault(label, "it was asked for its capabilities", e);
        }
        if (declared == null)
        {
            throw fault(label, "declares no capabilities but null");
        }
        return declared.endTokens().length == 0 ? declared.withEndTokens(endTokens) : declared;
    }

    @Override
    public void sizes(final RankSizes sizes)
    {
        try
        {
            backend.sizes(sizes);
        }
        catch (final Throwable e)
        {
            throw fault(label, "it received the sizes of its ranks", e);
        }
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        try
        {
            backend.start(ranks, shape, completions);
        }
        catch (final Throwable e)
        {
            throw fault(label, "it was started", e);
        }
    }

    @Override
    public void submit(final StepView step)
    {
        try
        {
            backend.submit(step);
        }
        catch (final Throwable e)
        {
            throw fault(label, "it received a step", e);
        }
    }

    @Override
    public void abort(final int rank, final long step)
    {
        try
        {
            backend.abort(rank, step);
        }
        catch (final Throwable e)
        {
            throw fault(label, "a step was withdrawn", e);
        }
    }

    @Override
    public String prepareWeights(final String name, final ModelWeights weights)
    {
        if (!(backend instanceof ModelBackend model))
        {
            throw fault(label, "cannot replace its weights while it runs");
        }
        try
        {
            return model.prepareWeights(name, weights);
        }
        catch (final Throwable e)
        {
            throw fault(label, "it prepared new weights", e);
        }
    }

    @Override
    public void expectWeights(final String version)
    {
        try
        {
            backend.expectWeights(version);
        }
        // The interface declares this refusal.
        catch (final IllegalArgumentException e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            throw fault(label, "new weights were to be announced", e);
        }
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        try
        {
            backend.newWeights(generation, version);
        }
        // The interface declares this refusal.
        catch (final UnsupportedOperationException e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            throw fault(label, "it received new weights", e);
        }
    }

    @Override
    public boolean reset(final int rank)
    {
        try
        {
            return backend.reset(rank);
        }
        // The interface declares this refusal.
        catch (final UnsupportedOperationException e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            throw fault(label, "it was to reset a rank", e);
        }
    }

    @Override
    public long stepTimeoutNanos()
    {
        try
        {
            return backend.stepTimeoutNanos();
        }
        catch (final Throwable e)
        {
            throw fault(label, "it was asked for its step timeout", e);
        }
    }

    @Override
    public long closeTimeoutNanos()
    {
        try
        {
            return backend.closeTimeoutNanos();
        }
        catch (final Throwable e)
        {
            throw fault(label, "it was asked for its close timeout", e);
        }
    }

    @Override
    public void close()
    {
        try
        {
            backend.close();
        }
        catch (final Throwable e)
        {
            throw fault(label, "it was closed", e);
        }
    }
}
