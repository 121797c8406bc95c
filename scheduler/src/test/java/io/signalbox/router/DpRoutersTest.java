// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.config.SettingValues;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Routers that the service entries of a class path name. */
class DpRoutersTest
{
    @TempDir
    private Path directory;

    /** A router with the label of another one. */
    public static final class Twin extends DpRouterProvider
    {
        public Twin()
        {
            super("lmetric", 1, "Another router with the label of one of Signalbox.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            throw new AssertionError("not asked for");
        }
    }

    private String refused(final String entry) throws IOException
    {
        final Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(DpRouterProvider.class.getName()), entry + "\n");
        try (URLClassLoader classPath =
            new URLClassLoader(new URL[] {directory.toUri().toURL()}, DpRoutersTest.class.getClassLoader()))
        {
            return assertThrows(ConfigException.class, () -> DpRouters.of(classPath)).getMessage();
        }
    }

    @Test
    void shouldRefuseAnEntryThatNamesNoRouter() throws IOException
    {
        for (final String entry : new String[] {"no.such.Router", DpRoutersTest.class.getName()})
        {
            final String refusal = refused(entry);
            assertTrue(refusal.startsWith("a service entry of the class path names no router (") &&
                refusal.contains(entry) && refusal.endsWith("; fix or remove the jar that it is in."), refusal);
        }
    }

    @Test
    void shouldRefuseTwoRoutersOfOneLabel() throws IOException
    {
        final String refusal = refused(Twin.class.getName());
        assertTrue(refusal.startsWith("two routers have the label lmetric, "), refusal);
    }

    @Test
    void shouldFindTheInstalledRoutersOnce()
    {
        assertSame(DpRouters.installed(), DpRouters.installed());
        assertEquals(17, DpRouters.installed().all().size());
    }
}
