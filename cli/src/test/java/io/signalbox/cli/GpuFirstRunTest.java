// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The script of one call of ten minutes, on a bundle whose check only writes its options down. */
@Tag("threads")
class GpuFirstRunTest
{
    private static final Path SCRIPT = Path.of(System.getProperty("signalbox.root")).resolve("scripts/gpu-first-run");
    private static final String CHECK = """
        #!/bin/sh
        case $1 in
            --probe) sleep 1; echo "gpu ok"; exit "${PROBE:-0}" ;;
        esac
        echo "$@ ${JDK_JAVA_OPTIONS:-}" >"${1#--json-file=}"
        case $* in
            *,routers*) sleep "${CHECKS_SECONDS:-0}" ;;
            *,model*) exit "${MODEL:-0}" ;;
        esac
        """;

    @TempDir
    private Path directory;
    private Path bundle;
    private Path output;

    @BeforeEach
    void makeBundle() throws IOException
    {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")) || Files.isExecutable(Path.of("/usr/bin/bash")), "no bash");
        bundle = Files.createDirectory(directory.resolve("a bundle"));
        output = Files.createDirectory(directory.resolve("files"));
        final Path check = Files.writeString(bundle.resolve("run"), CHECK);
        assertTrue(check.toFile().setExecutable(true));
        Files.writeString(bundle.resolve("torch-times"), "import sys; open(sys.argv[2], 'w').write('torch')");
    }

    @Test
    void shouldRunThePartsInOrderAndKeepAFileOfEach() throws Exception
    {
        final Run run = run(Map.of("LAYERS", "0", "HEAP", "2g", "CELLS", "4", "CHECKS_OPTIONS", "--batch=4 --samples=9"),
            bundle, output);

        assertEquals(0, run.exitCode, run.output);
        final List<String> parts = run.output.lines().filter(line -> line.startsWith("== "))
            .map(line -> line.substring(3, line.indexOf(','))).filter(part -> !part.equals("torch")).toList();
        assertEquals(List.of("checks", "model", "profile", "costs", "overhead", "sanitizer", "end"), parts);
        assertTrue(file("checks.json").endsWith(" --rounds=1 --batch=4 --samples=9 \n"), file("checks.json"));
        assertTrue(file("model.json").endsWith(" --seed=1 --sections=device,model --model-layers=0  -Xmx2g\n"),
            file("model.json"));
        assertTrue(file("profile.json").endsWith(" --sections=device,profile --model-layers=0 \n"), file("profile.json"));
        assertTrue(file("overhead.json").endsWith(" --sections=device,overhead --steps=500 --cells=4 \n"),
            file("overhead.json"));
        assertTrue(file("sanitizer.json").contains(" --sanitizer-limit=50"), file("sanitizer.json"));
        assertTrue(file("log.txt").contains("gpu ok\n== checks, "), file("log.txt"));
        try (Stream<Path> files = Files.list(output))
        {
            assertTrue(files.count() <= 8, "at most eight files");
        }
    }

    @Test
    void shouldTakeAnArchiveAndLeaveNothingBesideTheFiles() throws Exception
    {
        final Path archive = directory.resolve("bundle.tar.gz");
        assertEquals(0, run(List.of("tar", "-czf", archive.toString(), "-C", directory.toString(), "a bundle"), Map.of())
            .exitCode);
        final Path temporary = Files.createDirectory(directory.resolve("temporary"));

        final Run run = run(Map.of("TMPDIR", temporary.toString()), archive, output);
        assertEquals(0, run.exitCode, run.output);
        assertTrue(Files.exists(output.resolve("sanitizer.json")));
        try (Stream<Path> left = Files.list(temporary))
        {
            assertEquals(0, left.count());
        }
    }

    @Test
    void shouldGoOnAfterAPartThatFails() throws Exception
    {
        final Run run = run(Map.of("MODEL", "3"), bundle, output);

        assertEquals(1, run.exitCode, run.output);
        assertTrue(run.output.contains("== model ended with exit code 3\n== profile, "), run.output);
        assertTrue(Files.exists(output.resolve("sanitizer.json")));
    }

    /** 21 s for all, of which the probe takes one. */
    @Test
    void shouldLeaveOutPartsWithoutTime() throws Exception
    {
        final Run run = run(Map.of("BUDGET", "21", "CHECKS_SECONDS", "2"), bundle, output);

        assertEquals(1, run.exitCode, run.output);
        assertTrue(run.output.contains("== model: left out, no time is left\n"), run.output);
        assertTrue(run.output.contains("== sanitizer: left out, no time is left\n"), run.output);
        assertTrue(Files.notExists(output.resolve("model.json")));
    }

    @Test
    void shouldEndWhereNoGpuCanBeUsed() throws Exception
    {
        final Run run = run(Map.of("PROBE", "2"), bundle, output);

        assertEquals(2, run.exitCode, run.output);
        assertTrue(run.output.endsWith(
            "gpu-first-run: no GPU can be used: the probe says why, or did not end within 60 s.\n"), run.output);
        assertTrue(Files.notExists(output.resolve("checks.json")));
    }

    @ParameterizedTest
    @CsvSource({"BUDGET, 5, BUDGET=5 is too small; give 20 or more.", "LAYERS, x, LAYERS='x' is not a number of at most",
        "LIMIT_FACTOR, 08, LIMIT_FACTOR='08' is not a number of at most five digits without leading zeros",
        "BUDGET, 0570, BUDGET='0570' is not a number of at most five digits without leading zeros; give 20 or more.",
        "LIMIT_FACTOR, 0, LIMIT_FACTOR=0 is too small; give 1 or more."})
    void shouldRefuseAValue(final String name, final String value, final String sentence) throws Exception
    {
        final Run run = run(Map.of(name, value), bundle, output);

        assertEquals(2, run.exitCode, run.output);
        assertTrue(run.output.startsWith("gpu-first-run: " + sentence), run.output);
    }

    @Test
    void shouldRefuseWhatIsNoBundleAndNoDirectory() throws Exception
    {
        assertTrue(run(Map.of(), directory.resolve("none"), output).output.contains("none does not exist; make it by"));
        assertTrue(run(Map.of(), output, output).output.contains("is not a bundle: it has no executable 'run'"));
        assertTrue(run(Map.of(), bundle, directory.resolve("none")).output.contains("is not a directory that can be"));
        assertTrue(run(Map.of(), bundle).output.contains("takes BUNDLE and OUTPUT_DIR, not 1 arguments"));
        assertEquals(0, run(List.of(SCRIPT.toString(), "--help"), Map.of()).exitCode);
    }

    private String file(final String name) throws IOException
    {
        return Files.readString(output.resolve(name));
    }

    private static Run run(final Map<String, String> environment, final Path... arguments)
        throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
        Stream.of(arguments).forEach(argument -> command.add(argument.toString()));
        return run(command, environment);
    }

    private static Run run(final List<String> command, final Map<String, String> environment)
        throws IOException, InterruptedException
    {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().retainAll(List.of("PATH"));
        builder.environment().putAll(environment);
        final Process process = builder.start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }

    private record Run(int exitCode, String output)
    {
    }
}
