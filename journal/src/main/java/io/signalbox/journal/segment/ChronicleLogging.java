// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import net.openhft.chronicle.core.Jvm;

/**
 * Silences SLF4J, which Chronicle Queue logs through, in a program without a provider. Such a program did not ask for
 * logging, and SLF4J would print a warning about the missing provider. A program with a provider, also one that does not
 * load, gets all messages of SLF4J and Chronicle.
 */
public final class ChronicleLogging
{
    /** SLF4J reads it once, when it starts. */
    private static final String VERBOSITY = "slf4j.internal.verbosity";
    private static final String PROVIDER_PROPERTY = "slf4j.provider";
    private static final String PROVIDERS = "META-INF/services/org.slf4j.spi.SLF4JServiceProvider";
    /** A provider for SLF4J 1, of which SLF4J 2 warns. */
    private static final String OLD_PROVIDER = "org/slf4j/impl/StaticLoggerBinder.class";

    private ChronicleLogging()
    {
    }

    /** Must run before the first use of a Chronicle class, and may run again. */
    public static synchronized void start()
    {
        if (hasProvider() || System.getProperty(VERBOSITY) != null)
        {
            return;
        }
        System.setProperty(VERBOSITY, "ERROR");
        try
        {
            // Starts Chronicle's core, which asks SLF4J for a logger.
            Jvm.init();
        }
        finally
        {
            System.clearProperty(VERBOSITY);
        }
    }

    /** The class loader of Chronicle's core. The literal does not initialise the class. */
    public static Module module()
    {
        return Jvm.class.getModule();
    }

    private static boolean hasProvider()
    {
        return System.getProperty(PROVIDER_PROPERTY) != null || isPresent(PROVIDERS) || isPresent(OLD_PROVIDER);
    }

    /** SLF4J looks with the class loader that loaded it, which is that of Chronicle or one above it. */
    private static boolean isPresent(final String resource)
    {
        final ClassLoader loader = ChronicleLogging.class.getClassLoader();
        return (loader == null ? ClassLoader.getSystemResource(resource) : loader.getResource(resource)) != null;
    }
}
