// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.plugin.PluginJars;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.serving.BackendProvider;
import io.signalbox.serving.Backends;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** The installed routers and those of the jars that {@code --plugins} names. */
public final class Plugins
{
    public static final String OPTION = "--plugins";
    public static final String DESCRIPTION = "Add the routers, backends and tokenizers of these jars.";

    private Plugins()
    {
    }

    /** @throws ConfigException that names the faulty jar, or two routers with the same label. */
    public static DpRouters routers(final List<String> jars)
    {
        DpRouters routers = DpRouters.installed();
        final Map<String, Path> jarByLabel = new HashMap<>();
        for (final Path jar : paths(jars))
        {
            routers = with(routers, jar, jarByLabel);
        }
        return routers;
    }

    /** The installed backends and those of the jars that declare any. */
    static Backends backends(final List<String> jars)
    {
        Backends backends = Backends.installed();
        for (final String jar : jars)
        {
            if (!jar.isBlank() && PluginJars.declares(PathConverter.path(jar), BackendProvider.class))
            {
                try
                {
                    backends = backends.with(PluginJars.load(List.of(PathConverter.path(jar)), BackendProvider.class));
                }
                catch (final ConfigException e)
                {
                    throw e.at(OPTION);
                }
            }
        }
        return backends;
    }

    /** @throws ConfigException if a jar is none, or has a service entry for none of these services. */
    static void requireAnyService(final List<String> jars, final Class<?>... services)
    {
        for (final Path jar : paths(jars))
        {
            try
            {
                PluginJars.requireAny(jar, List.of(services));
            }
            catch (final ConfigException e)
            {
                throw e.at(OPTION);
            }
        }
    }

    private static List<Path> paths(final List<String> jars)
    {
        final List<Path> paths = new ArrayList<>();
        for (final String jar : jars)
        {
            if (jar.isBlank())
            {
                throw new ConfigException(OPTION + " has an empty name; give the jar of a plug-in.");
            }
            final Path path = PathConverter.path(jar);
            if (paths.contains(path))
            {
                throw new ConfigException(OPTION + " names " + path + " twice; name it once.");
            }
            paths.add(path);
        }
        return paths;
    }

    /** The providers of the class path and of those jars that declare any. */
    static <T> List<T> providers(final List<String> jars, final Class<T> service)
    {
        final List<T> providers = new ArrayList<>();
        ServiceLoader.load(service, service.getClassLoader()).forEach(providers::add);
        for (final String jar : jars)
        {
            if (!jar.isBlank() && PluginJars.declares(PathConverter.path(jar), service))
            {
                try
                {
                    providers.addAll(PluginJars.load(List.of(PathConverter.path(jar)), service));
                }
                catch (final ConfigException e)
                {
                    throw e.at(OPTION);
                }
            }
        }
        return providers;
    }

    /** The jars from which routers are to be loaded: not those that declare other services alone. */
    public static List<String> without(final List<String> jars, final Class<?>... others)
    {
        return jars.stream().filter(jar -> jar.isBlank() ||
            Stream.of(others).noneMatch(other -> PluginJars.declares(PathConverter.path(jar), other)) ||
            PluginJars.declares(PathConverter.path(jar), DpRouterProvider.class)).toList();
    }

    /** @param jarByLabel the jars before this one, by the labels of their routers; gets those of this one. */
    private static DpRouters with(final DpRouters routers, final Path jar, final Map<String, Path> jarByLabel)
    {
        final List<DpRouterProvider> providers;
        final DpRouters all;
        try
        {
            providers = PluginJars.load(List.of(jar), DpRouterProvider.class);
            for (final DpRouterProvider provider : providers)
            {
                requireOtherLabel(provider.label(), jar, jarByLabel.get(provider.label()));
            }
            all = routers.with(providers);
        }
        catch (final ConfigException e)
        {
            throw e.at(OPTION);
        }
        providers.forEach(provider -> jarByLabel.put(provider.label(), jar));
        return all;
    }

    /** Classes of two jars often have the same name, so their message would not say which jars they are in. */
    private static void requireOtherLabel(final String label, final Path jar, final Path other)
    {
        if (other != null)
        {
            throw new ConfigException("the jars " + other + " and " + jar + " both hold a router with the label " + label +
                "; leave one of them out.");
        }
    }
}
