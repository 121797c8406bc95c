// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** Runs the programs of a sample, and its tests on the platform that Surefire uses. */
final class SampleTests
{
    private SampleTests()
    {
    }

    /** Returns the lines that the program prints. */
    static List<String> printed(final Path classes, final String program, final String... arguments) throws Exception
    {
        final URL[] urls = {classes.toUri().toURL()};
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        final PrintStream out = System.out;
        try (URLClassLoader loader = new URLClassLoader(urls, SampleTests.class.getClassLoader()))
        {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            loader.loadClass(program).getMethod("main", String[].class).invoke(null, (Object)arguments);
        }
        finally
        {
            System.setOut(out);
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
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
