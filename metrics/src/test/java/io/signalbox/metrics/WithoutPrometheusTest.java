// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import org.junit.jupiter.api.Test;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The Prometheus client is optional. */
class WithoutPrometheusTest
{
    @Test
    void shouldBindWithoutThePrometheusClient() throws Exception
    {
        final List<URL> classPath = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator))
        {
            if (!entry.contains("prometheus"))
            {
                classPath.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader loader =
            new URLClassLoader(classPath.toArray(new URL[0]), ClassLoader.getPlatformClassLoader()))
        {
            assertThrows(ClassNotFoundException.class,
                () -> loader.loadClass("io.micrometer.prometheusmetrics.PrometheusMeterRegistry"));
            assertEquals(3L, loader.loadClass(SimpleRegistryRun.class.getName()).getMethod("run").invoke(null));
        }
    }
}
