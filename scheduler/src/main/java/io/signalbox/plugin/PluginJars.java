// SPDX-License-Identifier: Apache-2.0
package io.signalbox.plugin;

import io.signalbox.ConfigException;
import io.signalbox.PluginFault;
import io.signalbox.files.FileFault;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipException;

/**
 * Loads third-party providers, such as routers, from jars that are not on the class path. A jar names its providers in
 * {@code META-INF/services/<service>}, as {@link java.util.ServiceLoader} expects, and contains all classes that they
 * need beyond Signalbox and the JDK. Each jar has its own class loader, so two jars may contain classes of the same name.
 */
public final class PluginJars
{
    private static final String SERVICES = "META-INF/services/";
    private static final int MAX_ENTRY_BYTES = 1 << 16;

    private PluginJars()
    {
    }

    /**
     * Every provider of the service that the jars name, in the order of jars and entries. The jars stay open: classes are
     * loaded from them when they are first used.
     *
     * @param service an interface or class of Signalbox.
     * @throws ConfigException if a file is no jar or has no entry for the service, or if a provider cannot be loaded or
     *                         created.
     */
    public static <T> List<T> load(final List<Path> jars, final Class<T> service)
    {
        final List<T> providers = new ArrayList<>();
        for (final Path jar : jars)
        {
            final List<String> names = providerNames(jar, service);
            final ClassLoader loader = new URLClassLoader(new URL[] {url(jar)}, service.getClassLoader());
            for (final String name : names)
            {
                providers.add(provider(jar, name, loader, service));
            }
        }
        return providers;
    }

    /** Whether a jar has an entry for the service; false also if it cannot be read, which {@link #load} reports. */
    public static boolean declares(final Path jar, final Class<?> service)
    {
        try (JarFile file = new JarFile(jar.toFile()))
        {
            return file.getJarEntry(SERVICES + service.getName()) != null;
        }
        catch (final IOException | SecurityException e)
        {
            return false;
        }
    }

    /** @throws ConfigException if the file is no jar, or has an entry for none of the services. */
    public static void requireAny(final Path jar, final List<Class<?>> services)
    {
        final List<String> entries = services.stream().map(service -> SERVICES + service.getName()).toList();
        final boolean declares = read(jar, file -> entries.stream().anyMatch(entry -> file.getJarEntry(entry) != null));
        if (!declares)
        {
            throw refused(jar, "has no entry " + String.join(" or ", entries),
                "name the class of each provider there, one in a line");
        }
    }

    /** Reads from the directory of a jar, or throws. */
    private interface JarReader<T>
    {
        T read(JarFile file) throws IOException;
    }

    private static URL url(final Path jar)
    {
        try
        {
            return jar.toUri().toURL();
        }
        catch (final MalformedURLException e)
        {
            throw refused(jar, "has a name that is no URL (" + e.getMessage() + ")", "rename it");
        }
    }

    private static List<String> providerNames(final Path jar, final Class<?> service)
    {
        final String entryName = SERVICES + service.getName();
        return read(jar, file ->
        {
            final JarEntry entry = file.getJarEntry(entryName);
            final List<String> names = entry == null ? List.of() : names(file, entry);
            if (names.isEmpty())
            {
                throw refused(jar, entry == null ? "has no entry " + entryName : "has an entry " + entryName +
                    " that names no class", "name the class of each provider there, one in a line");
            }
            return names;
        });
    }

    private static <T> T read(final Path jar, final JarReader<T> reader)
    {
        if (!Files.isRegularFile(jar))
        {
            throw refused(jar, Files.exists(jar) ? "is not a file" : "does not exist", "give the jar of a plug-in");
        }
        try (JarFile file = new JarFile(jar.toFile()))
        {
            return reader.read(file);
        }
        catch (final ZipException e)
        {
            throw refused(jar, "is not a jar (" + e.getMessage() + ")", "give the jar of a plug-in");
        }
        catch (final IOException e)
        {
            throw refused(jar, "cannot be read (" + FileFault.reason(e) + ")", "give a jar that can be read");
        }
        catch (final SecurityException e)
        {
            throw refused(jar, "cannot be read (" + e.getMessage() + ")", "give a jar that can be read");
        }
    }

    private static List<String> names(final JarFile file, final JarEntry entry) throws IOException
    {
        try (InputStream stream = file.getInputStream(entry))
        {
            final byte[] bytes = stream.readNBytes(MAX_ENTRY_BYTES + 1);
            if (bytes.length > MAX_ENTRY_BYTES)
            {
                throw new IOException("its entry " + entry.getName() + " has more than " + MAX_ENTRY_BYTES + " bytes");
            }
            return new String(bytes, StandardCharsets.UTF_8).lines()
                .map(line -> line.indexOf('#') < 0 ? line : line.substring(0, line.indexOf('#')))
                .map(String::strip).filter(line -> !line.isEmpty()).toList();
        }
    }

    private static <T> T provider(final Path jar, final String name, final ClassLoader loader, final Class<T> service)
    {
        final String named = "names the provider " + name + ", which ";
        try
        {
            final Class<?> type = Class.forName(name, true, loader);
            if (!service.isAssignableFrom(type))
            {
                throw refused(jar, named + "is no " + service.getSimpleName(), "let it extend that type");
            }
            return service.cast(type.getConstructor().newInstance());
        }
        catch (final ClassNotFoundException e)
        {
            throw refused(jar, named + "is not in it", "add the class, or correct the entry");
        }
        catch (final UnsupportedClassVersionError e)
        {
            throw refused(jar, named + "needs a newer Java (" + e.getMessage() + ")",
                "run on that Java, or compile it for Java " + Runtime.version().feature());
        }
        catch (final ConfigException e)
        {
            throw e;
        }
        catch (final ReflectiveOperationException e)
        {
            throw unusable(jar, named + "cannot be made", e,
                "give it a public constructor without parameters that does not throw");
        }
        // An initialiser can throw any error.
        catch (final Throwable e)
        {
            throw unusable(jar, named + "cannot be loaded", e,
                "build it against this version of Signalbox, and put the classes that it needs into the jar");
        }
    }

    /** Names the exception of the provider itself; the JDK wraps it. A refused declaration has a remedy already. */
    private static ConfigException unusable(
        final Path jar, final String fault, final Throwable thrown, final String remedy)
    {
        Throwable cause = thrown;
        while (cause.getCause() != null &&
            (cause instanceof InvocationTargetException || cause instanceof ExceptionInInitializerError))
        {
            cause = cause.getCause();
        }
        return PluginFault.of(cause) instanceof ConfigException declaration ?
            new ConfigException("the plug-in " + jar + " " + fault + ": " + declaration.getMessage()) :
            refused(jar, fault + " (" + cause + ")", remedy);
    }

    private static ConfigException refused(final Path jar, final String fault, final String remedy)
    {
        return new ConfigException("the plug-in " + jar + " " + fault + "; " + remedy + ".");
    }
}
