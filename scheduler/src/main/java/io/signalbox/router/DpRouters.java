// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** The routers that a program knows, each under its own label. Immutable. */
public final class DpRouters
{
    private final List<DpRouterProvider> providers;

    private DpRouters(final List<DpRouterProvider> providers)
    {
        this.providers = List.copyOf(providers);
    }

    /** Loaded once; the class path of a running program does not change. */
    private static final class Installed
    {
        private static final Found FOUND = search(DpRouterProvider.class.getClassLoader());
    }

    /** Either the routers, or the reason why they could not be loaded. */
    private record Found(DpRouters routers, String fault)
    {
    }

    private static Found search(final ClassLoader classPath)
    {
        try
        {
            final List<DpRouterProvider> found = new ArrayList<>();
            ServiceLoader.load(DpRouterProvider.class, classPath).forEach(found::add);
            return new Found(new DpRouters(List.of()).with(found), null);
        }
        catch (final ConfigException e)
        {
            return new Found(null, e.getMessage());
        }
        catch (final ServiceConfigurationError | LinkageError e)
        {
            return new Found(null, "a service entry of the class path names no router (" + e.getMessage() +
                "); fix or remove the jar that it is in.");
        }
    }

    /**
     * The routers that the service entries of a class path name.
     *
     * @throws ConfigException if an entry names no router, or two routers have the same label.
     */
    static DpRouters of(final ClassLoader classPath)
    {
        return required(search(classPath));
    }

    private static DpRouters required(final Found found)
    {
        if (found.fault != null)
        {
            throw new ConfigException(found.fault);
        }
        return found.routers;
    }

    /**
     * The routers that the service entries of the class path name, those of Signalbox among them, in the order of the
     * entries.
     *
     * @throws ConfigException if an entry names no router, or two routers have the same label.
     */
    public static DpRouters installed()
    {
        return required(Installed.FOUND);
    }

    /**
     * These routers and some more.
     *
     * @throws ConfigException if a label is taken already.
     */
    public DpRouters with(final List<DpRouterProvider> more)
    {
        final List<DpRouterProvider> all = new ArrayList<>(providers);
        for (final DpRouterProvider provider : more)
        {
            for (final DpRouterProvider other : all)
            {
                if (other.label().equals(provider.label()))
                {
                    throw new ConfigException("two routers have the label " + provider.label() + ", " +
                        other.getClass().getName() + " and " + provider.getClass().getName() +
                        "; a label names one router: leave one of them out, or give it another label.");
                }
            }
            all.add(provider);
        }
        return new DpRouters(all);
    }

    /** In the order in which they were found. */
    public List<DpRouterProvider> all()
    {
        return providers;
    }

    /** All labels, for a sentence. */
    public String labels()
    {
        return providers.stream().map(DpRouterProvider::label).collect(Collectors.joining(", "));
    }

    /** @throws ConfigException if no router has this label. */
    public DpRouterProvider of(final String label)
    {
        final DpRouterProvider found = find(label);
        if (found == null)
        {
            throw ConfigException.because(new ConfigException.Named("router", label), " is not known")
                .allowed("one of " + labels())
                .remedy("give one of " + labels() + ", or the jar that holds it with --plugins");
        }
        return found;
    }

    /** The router of this label, or {@code null}. */
    DpRouterProvider find(final String label)
    {
        for (final DpRouterProvider provider : providers)
        {
            if (provider.label().equals(label))
            {
                return provider;
            }
        }
        return null;
    }

    /**
     * Returns the router of a run description.
     *
     * @throws AbsentRouterException if no router has this label, or it has an earlier version.
     */
    DpRouterProvider required(final String label, final int version)
    {
        final DpRouterProvider found = find(label);
        if (found == null)
        {
            throw new AbsentRouterException("the run used the router " + label + ", version " + version +
                ", which is not installed; give the jar that holds it with --plugins.");
        }
        if (found.version() < version)
        {
            throw new AbsentRouterException("the run used version " + version + " of the router " + label +
                ", and version " + found.version() + " is installed; give the version that wrote it" +
                (found.getClass().getClassLoader() == DpRouters.class.getClassLoader() ?
                    ", with the Signalbox that it belongs to." : " with --plugins."));
        }
        return found;
    }

    @Override
    public String toString()
    {
        return providers.toString();
    }
}
