// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.weights;

import io.signalbox.ConfigException;
import io.signalbox.backend.ForwardingBackend;
import io.signalbox.serving.ModelBackend;

/**
 * A backend that looks for weights below a root if it is to have weights that nobody has prepared: those of a run that
 * another process began.
 */
final class RootedBackend extends ForwardingBackend
{
    private final WeightsRoot root;

    RootedBackend(final ModelBackend backend, final WeightsRoot root)
    {
        super(backend);
        this.root = root;
    }

    @Override
    public void expectWeights(final String version)
    {
        try
        {
            super.expectWeights(version);
        }
        catch (final IllegalArgumentException e)
        {
            load(version, e);
            super.expectWeights(version);
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
}
