// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** Compiles the tests of a sample against its classes and the test kit, and runs them on the platform that Surefire uses. */
final class SampleTests
{
    private SampleTests()
    {
    }

    /**
     * Fails with the messages of the tests that failed.
     *
     * @param classes of the sample; those of its tests are added.
     * @param libraries a class of each library that the tests need.
     * @return the number of tests that ran.
     */
    static long run(final Path classes, final Path tests, final Class<?>... libraries) throws Exception
    {
        final List<Path> sources = PluginJar.files(tests);
        PluginJar.compile(classes, sources, libraries);
        final Thread thread = Thread.currentThread();
        final ClassLoader before = thread.getContextClassLoader();
        final URL[] urls = {classes.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(urls, SampleTests.class.getClassLoader()))
        {
            thread.setContextClassLoader(loader);
            final LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .configurationParameter("jqwik.database", classes.resolve("jqwik-database").toString())
                .configurationParameter("jqwik.reporting.onlyfailures", "true");
            for (final Path source : sources)
            {
                final String name = tests.relativize(source).toString().replace(".java", "").replace('/', '.');
                request.selectors(selectClass(loader.loadClass(name)));
            }
            return succeeded(request.build());
        }
        finally
        {
            thread.setContextClassLoader(before);
        }
    }

    private static long succeeded(final LauncherDiscoveryRequest request)
    {
        final Launcher launcher = LauncherFactory.create();
        final SummaryGeneratingListener listener = new SummaryGeneratingListener();
        launcher.execute(request, listener);
        final TestExecutionSummary summary = listener.getSummary();
        final List<String> failures = new ArrayList<>();
        summary.getFailures().forEach(
            failure -> failures.add(failure.getTestIdentifier().getDisplayName() + ": " + failure.getException()));
        assertEquals(List.of(), failures);
        return summary.getTestsSucceededCount();
    }
}
