// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A worker and its directory: what each fuzz test begins and ends with. */
final class FuzzRun implements AutoCloseable
{
    /** Far above what a case needs: milliseconds. */
    private static final long CASE_MILLIS = 60_000;
    private static final List<String> SMALL_JVM =
        List.of("-Xmx512m", "-Xss1m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    private static final Path KEPT = Path.of("target", "fuzz").toAbsolutePath();

    private final Path home;
    private final Worker worker;

    private FuzzRun(final Path home, final Worker worker)
    {
        this.home = home;
        this.worker = worker;
    }

    static FuzzRun open() throws IOException
    {
        return open(CommandUnderTest.Signalbox.class, CASE_MILLIS);
    }

    /** @param environment variables of the commands' process. */
    static FuzzRun open(final Map<String, String> environment) throws IOException
    {
        return open(CommandUnderTest.Signalbox.class, CASE_MILLIS, environment);
    }

    static FuzzRun open(final Class<? extends CommandUnderTest> command, final long caseMillis) throws IOException
    {
        return open(command, caseMillis, Map.of());
    }

    private static FuzzRun open(
        final Class<? extends CommandUnderTest> command, final long caseMillis, final Map<String, String> environment)
        throws IOException
    {
        final Path home = Files.createTempDirectory("signalbox-fuzz-");
        return new FuzzRun(home, new Worker(home, command, SMALL_JVM, caseMillis, environment));
    }

    Worker worker()
    {
        return worker;
    }

    /** @param name of the test: its last finding is kept in a directory of this name. */
    Fuzzer fuzzer(final String name) throws IOException
    {
        return fuzzer(name, worker);
    }

    Fuzzer fuzzer(final String name, final Target target) throws IOException
    {
        Files.createDirectories(worker.workingDirectory());
        return new Fuzzer(target, worker.workingDirectory(), KEPT.resolve(name));
    }

    /** A directory for fixtures, out of the commands' sight. */
    Path directory(final String name)
    {
        return home.resolve(name);
    }

    @Override
    public void close() throws IOException
    {
        worker.close();
        FileTrees.delete(home);
    }
}
