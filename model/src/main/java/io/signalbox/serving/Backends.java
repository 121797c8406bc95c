// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.ConfigException;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** The backends that a program knows, each under its own label. Immutable. */
public final class Backends
{
    private final List<BackendProvider> providers;

    private Backends(final List<BackendProvider> providers)
    {
        this.providers = List.copyOf(providers);
    }

    /**
     * The backends that the service entries of the class path name, in the order of the entries.
     *
     * @throws ConfigException if an entry names no backend, or two backends have the same label.
     */
    public static Backends installed()
    {
        return of(BackendProvider.class.getClassLoader());
    }

    /** The backends that the service entries of a class path name. */
    static Backends of(final ClassLoader classPath)
    {
        final List<BackendProvider> found = new ArrayList<>();
        try
        {
            ServiceLoader.load(BackendProvider.class, classPath).forEach(found::add);
        }
        catch (final ServiceConfigurationError | LinkageError e)
        {
            throw new ConfigException("a service entry of the class path names no backend (" + e.getMessage() +
                "); fix or remove the jar that it is in.");
        }
        return new Backends(List.of()).with(found);
    }

    /**
     * These backends and some more.
     *
     * @throws ConfigException if a label is taken already.
     */
    public Backends with(final List<BackendProvider> more)
    {
        final List<BackendProvider> all = new ArrayList<>(providers);
        for (final BackendProvider provider : more)
        {
            for (final BackendProvider other : all)
            {
                if (other.label().equals(provider.label()))
                {
                    throw new ConfigException("two backends have the label " + provider.label() + ", " +
                        other.getClass().getName() + " and " + provider.getClass().getName() +
                        "; a label names one backend: leave one of them out, or give it another label.");
                }
            }
            all.add(provider);
        }
        return new Backends(all);
    }

    /** In the order in which they were found. */
    public List<BackendProvider> all()
    {
        return providers;
    }

    /** All labels, for a sentence. */
    public String labels()
    {
        return providers.stream().map(BackendProvider::label).collect(Collectors.joining(", "));
    }

    /** @throws ConfigException if no backend has this label. */
    public BackendProvider of(final String label)
    {
        for (final BackendProvider provider : providers)
        {
            if (provider.label().equals(label))
            {
                return provider;
            }
        }
        throw ConfigException.because(new ConfigException.Named("backend", label), " is not known")
            .allowed("one of " + labels())
            .remedy("give one of " + labels() + ", or the jar that holds it with --plugins");
    }

    @Override
    public String toString()
    {
        return providers.toString();
    }
}
