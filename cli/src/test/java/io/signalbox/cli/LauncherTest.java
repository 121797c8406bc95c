// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The script 'signalbox' in a fake checkout, with a JVM that only prints its arguments. */
@Tag("threads")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LauncherTest
{
    private static final Path SCRIPT = Path.of(System.getProperty("signalbox.root", "..")).resolve("signalbox");
    /** Under JAVA_TOOL_OPTIONS=broken the JVM does not start; a real one exits with 1 then. */
    private static final String JAVA = """
        #!/bin/sh
        if [ "${JAVA_TOOL_OPTIONS:-}" = broken ]
        then
            echo "Picked up JAVA_TOOL_OPTIONS: broken" >&2
            echo "Unrecognized option: broken" >&2
            exit 1
        fi
        if [ "$(ulimit -u 2>/dev/null || ulimit -p)" = 100 ]
        then
            echo "[0.010s][warning][os,thread] Failed to start thread" >&2
            echo "Error occurred during initialization of VM" >&2
            exit 1
        fi
        echo "locale $(locale charmap)"
        echo "jar $4 $5"
        """;
    /** The programs that the script needs, without mvn. */
    private static final List<String> PROGRAMS =
        List.of("sh", "dirname", "readlink", "sed", "head", "grep", "find", "mkdir", "rm", "tr", "locale", "touch", "mv");

    @TempDir
    private Path directory;
    private Path root;

    private record Run(int exitCode, String out, String err)
    {
    }

    @BeforeEach
    void makeCheckout() throws IOException
    {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "skipped: this system has no /bin/sh");
        makeCheckout(directory.resolve("check out"));
        final Path java = program(directory.resolve("jdk/bin/java"), JAVA);
        Files.writeString(java.resolveSibling("../release"), "JAVA_VERSION=\"17.0.1\"\n");
        Files.createDirectories(directory.resolve("bin"));
        for (final String name : PROGRAMS)
        {
            program(directory.resolve("bin").resolve(name),
                "#!/bin/sh\nPATH=" + System.getenv("PATH") + "\nexec " + name + " \"$@\"\n");
        }
    }

    private void makeCheckout(final Path where) throws IOException
    {
        root = where;
        Files.createDirectories(root.resolve("cli/target/lib"));
        Files.createDirectories(root.resolve("cli/src/main"));
        Files.copy(SCRIPT, root.resolve("signalbox"));
        Files.writeString(root.resolve("pom.xml"), "");
        Files.writeString(root.resolve("cli/pom.xml"), "");
        Files.writeString(jar(), "");
        final FileTime past = FileTime.from(Instant.now().minusSeconds(60));
        for (final String source : List.of("pom.xml", "cli/pom.xml", "cli/src/main"))
        {
            Files.setLastModifiedTime(root.resolve(source), past);
        }
        Files.writeString(stamp(), "");
    }

    private Path jar()
    {
        return root.resolve("cli/target/signalbox-cli.jar");
    }

    private Path stamp()
    {
        return root.resolve("cli/target/signalbox.built");
    }

    private static Path program(final Path file, final String text) throws IOException
    {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Run run(final Path script, final Map<String, String> environment) throws IOException, InterruptedException
    {
        return run(environment, "/bin/sh", script.toString(), "argument");
    }

    private Run run(final Map<String, String> environment, final String... command) throws IOException, InterruptedException
    {
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(Map.of(
            "PATH", directory.resolve("bin").toString(), "JAVA_HOME", directory.resolve("jdk").toString(), "LC_ALL", "C"));
        builder.environment().putAll(environment);
        final Path err = directory.resolve("err");
        final Process process = builder.redirectError(err.toFile()).start();
        final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), out, Files.readString(err));
    }

    private void assertRefused(final Run run, final String expected)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals("", run.out());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(expected), run.err());
    }

    @Test
    void shouldStartFromAnyPathAndThroughLinks() throws IOException, InterruptedException
    {
        makeCheckout(directory.resolve("line\nbreak, $x 'and' \"quotes\"\n"));
        final Path link = Files.createSymbolicLink(directory.resolve("link"), root.resolve("signalbox"));
        final Path second = Files.createSymbolicLink(directory.resolve("second"), link.getFileName());
        for (final Path script : List.of(root.resolve("signalbox"), link, second))
        {
            final Run run = run(script, Map.of());
            assertEquals("", run.err());
            assertTrue(run.out().contains(jar().toRealPath().toString()), run.out());
        }
        final Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));
        assertEquals(ExitCode.BAD_INPUT, run(loop, Map.of()).exitCode());
    }

    @Test
    void shouldGiveJavaALocaleThatHasAllPaths() throws IOException, InterruptedException
    {
        final Run run = run(root.resolve("signalbox"), Map.of());
        Assumptions.assumeTrue(run("C.UTF-8").contains("UTF-8"), "skipped: this system has no locale C.UTF-8");
        assertTrue(run.out().contains("locale UTF-8"), run.out());
    }

    private static String run(final String locale) throws IOException, InterruptedException
    {
        final ProcessBuilder builder = new ProcessBuilder("locale", "charmap");
        builder.environment().put("LC_ALL", locale);
        final Process process = builder.start();
        final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return out;
    }

    @Test
    void shouldUseAnOlderJarIfNoneCanBeBuilt() throws IOException, InterruptedException
    {
        Files.setLastModifiedTime(root.resolve("pom.xml"), FileTime.from(Instant.now().plusSeconds(60)));
        final Run stale = run(root.resolve("signalbox"), Map.of());
        assertEquals(0, stale.exitCode());
        assertTrue(stale.out().contains("jar "), stale.out());
        assertEquals("signalbox: no mvn was found to build with, so no build was made; the jar that is there is used, " +
            "and it is older than the sources.", stale.err().strip());

        Files.delete(stamp());
        assertTrue(run(root.resolve("signalbox"), Map.of()).err().contains("it may be older than the sources"));

        Files.delete(jar());
        assertRefused(run(root.resolve("signalbox"), Map.of()), "there is no build of Signalbox in ");
    }

    @Test
    void shouldNotBuildWhereItMayNotWrite() throws IOException, InterruptedException
    {
        program(directory.resolve("bin/mvn"), "#!/bin/sh\nexit 1\n");
        Files.setLastModifiedTime(root.resolve("pom.xml"), FileTime.from(Instant.now().plusSeconds(60)));
        assertRefusedBuild(run(root.resolve("signalbox"), Map.of()));
        Files.setPosixFilePermissions(root.resolve("cli/target"), PosixFilePermissions.fromString("r-xr-xr-x"));
        Assumptions.assumeFalse(Files.isWritable(root.resolve("cli/target")), "skipped: this user may write everywhere");
        final Run run = run(root.resolve("signalbox"), Map.of());
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.err().contains("cli/target may not be written, so no build was made"), run.err());
    }

    private static void assertRefusedBuild(final Run run)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertTrue(run.err().contains("signalbox: the build failed; the whole log is "), run.err());
    }

    @Test
    void shouldTellAJvmThatDoesNotStartFromACheckThatFails() throws IOException, InterruptedException
    {
        assertRefused(run(root.resolve("signalbox"), Map.of("JAVA_TOOL_OPTIONS", "broken")),
            "does not start (Unrecognized option: broken); correct JAVA_TOOL_OPTIONS");
        assertRefused(run(root.resolve("signalbox"), Map.of("JAVA_HOME", directory.toString())),
            "JAVA_HOME=" + directory + " holds no bin/java");
        Files.delete(directory.resolve("jdk/release"));
        assertRefused(run(root.resolve("signalbox"), Map.of()), "does not say which Java it is");
        assertFalse(run(root.resolve("signalbox"), Map.of()).err().contains("integer expression"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "-Xlog", "-Xlog:gc", "-Xlog:gc*:stdout", "-Xlog:gc::time", "-Xmx1g -Xlog:all=info:stdout:time", "-verbose:gc"})
    void shouldRefuseALogOfTheJvmInTheResult(final String options) throws IOException, InterruptedException
    {
        for (final String variable : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"))
        {
            assertRefused(run(root.resolve("signalbox"), Map.of(variable, options)),
                options.replace("-Xmx1g ", "") + " in " + variable + " logs to standard output, which is for results");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xlog:disable", "-Xlog:gc:stderr", "-Xlog:gc:file=gc.log:time", "-Xlog:gc*:gc.log", "-Xmx1g"})
    void shouldAcceptALogOfTheJvmElsewhere(final String options) throws IOException, InterruptedException
    {
        final Run run = run(root.resolve("signalbox"), Map.of("JAVA_TOOL_OPTIONS", options));

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
    }

    @Test
    void shouldBuildOnceForTwoFirstStarts() throws IOException, InterruptedException
    {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/flock")), "skipped: this system has no flock");
        program(directory.resolve("bin/flock"), "#!/bin/sh\nexec /usr/bin/flock \"$@\"\n");
        Files.delete(stamp());
        Files.delete(jar());
        final Path builds = directory.resolve("builds");
        // The build ends only after the second start says that it waits.
        program(directory.resolve("bin/mvn"), "#!/bin/sh\nPATH=" + System.getenv("PATH") + "\necho built >>'" + builds +
            "'\nuntil grep -q waiting '" + directory.resolve("second.err") + "'\ndo\n    sleep 0.05\ndone\n: >'" +
            jar() + "'\n");
        final Process first = start("first");
        waitFor(builds);
        final Process second = start("second");

        assertEquals(0, first.waitFor(), Files.readString(directory.resolve("first.err")));
        assertEquals(0, second.waitFor(), Files.readString(directory.resolve("second.err")));
        assertEquals(List.of("built"), Files.readAllLines(builds));
        assertTrue(Files.readString(directory.resolve("second.err")).contains("waiting for another start"));
        assertTrue(Files.readString(directory.resolve("second.out")).contains("jar "));
    }

    private Process start(final String name) throws IOException
    {
        final ProcessBuilder builder = new ProcessBuilder("/bin/sh", root.resolve("signalbox").toString(), "argument");
        builder.environment().clear();
        builder.environment().putAll(Map.of(
            "PATH", directory.resolve("bin").toString(), "JAVA_HOME", directory.resolve("jdk").toString(), "LC_ALL", "C"));
        return builder.redirectError(directory.resolve(name + ".err").toFile())
            .redirectOutput(directory.resolve(name + ".out").toFile()).start();
    }

    /** The timeout of the class bounds it. */
    private static void waitFor(final Path file)
    {
        while (!Files.exists(file))
        {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldTellALimitOfProcessesFromACheckThatFails() throws IOException, InterruptedException
    {
        final String limited = "ulimit -u 100 2>/dev/null || ulimit -p 100; exec /bin/sh \"$0\" argument";
        final Run run = run(Map.of(), "/bin/sh", "-c", limited, root.resolve("signalbox").toString());

        assertRefused(run, "does not start (Error occurred during initialization of VM); correct JAVA_TOOL_OPTIONS");
        assertTrue(run.err().contains("and processes (ulimit -u)."), run.err());
    }

    @Test
    void shouldNameALimitOfOpenFilesThatIsTooLow() throws IOException, InterruptedException
    {
        final String script = root.resolve("signalbox").toString();

        for (final int few : new int[] {20, 40, 49, 95})
        {
            assertRefused(run(Map.of(), "/bin/sh", "-c", "ulimit -n " + few + "; exec /bin/sh \"$0\" argument", script),
                "a process of this shell may open " + few + " files (ulimit -n), and Signalbox needs 96; raise the limit.");
        }
        for (final String enough : List.of("ulimit -n 96", "ulimit -S -n 30"))
        {
            final Run run = run(Map.of(), "/bin/sh", "-c", enough + "; exec /bin/sh \"$0\" argument", script);
            assertEquals(ExitCode.OK, run.exitCode(), run.err());
        }
    }
}
