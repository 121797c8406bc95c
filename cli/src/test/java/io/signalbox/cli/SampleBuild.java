// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** A sample as the build of its POM left it: {@code mvn verify} makes one in {@code target/samples} before these tests. */
final class SampleBuild
{
    private static final Path SAMPLES = Path.of(System.getProperty("signalbox.root")).resolve("cli/target/samples");
    private static final Pattern TESTS =
        Pattern.compile("<testsuite [^>]* tests=\"(\\d+)\" errors=\"0\" skipped=\"0\" failures=\"0\"");

    private final Path project;

    SampleBuild(final String name)
    {
        project = SAMPLES.resolve(name);
        assertTrue(Files.isRegularFile(jar()), () -> jar() + " does not exist; 'mvn verify' builds it.");
    }

    Path jar()
    {
        return project.resolve("target").resolve(project.getFileName() + "-1.0.jar");
    }

    /** The number of tests that its build ran, all of which passed. */
    int tests() throws IOException
    {
        try (Stream<Path> reports = Files.list(project.resolve("target/surefire-reports")))
        {
            return reports.filter(file -> file.toString().endsWith(".xml")).mapToInt(SampleBuild::passed).sum();
        }
    }

    private static int passed(final Path report)
    {
        try
        {
            final Matcher suite = TESTS.matcher(Files.readString(report));
            assertTrue(suite.find(), () -> report + " has a test that did not pass");
            return Integer.parseInt(suite.group(1));
        }
        catch (final IOException e)
        {
            throw new AssertionError(report.toString(), e);
        }
    }

    /** Runs a program of its jar, and returns the lines that the program prints. */
    List<String> printed(final String program, final String... arguments) throws Exception
    {
        final URL[] urls = {jar().toUri().toURL()};
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        final PrintStream out = System.out;
        try (URLClassLoader loader = new URLClassLoader(urls, SampleBuild.class.getClassLoader()))
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
}
