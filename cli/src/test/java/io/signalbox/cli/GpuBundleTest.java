// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import io.signalbox.cuda.check.GpuSection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The bundle, made and started without this machine's Java in the environment; for the full run only. */
@Tag("threads")
class GpuBundleTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final long MAX_MINUTES = 10;

    @TempDir
    private Path directory;

    @BeforeEach
    void needsTheFullRunAndItsTools() throws Exception
    {
        assumeTrue("full".equals(System.getProperty("signalbox.tests")), "runs with -Pfull");
        assumeTrue(Files.isExecutable(Path.of(System.getProperty("java.home"), "bin", "jlink")), "this Java has no jlink");
        assumeTrue(isCurrent(), "'./signalbox --version' has not built these sources; the bundle takes the built jars");
    }

    /** The script builds what is stale, and a build within a build would change the classes under test. */
    private static boolean isCurrent() throws Exception
    {
        final String newer =
            "[ -f cli/target/signalbox.built ] && find pom.xml ./*/pom.xml ./*/src/main -newer cli/target/signalbox.built";
        final Run run = run(Map.of(), ROOT, List.of("sh", "-c", newer));
        return run.exitCode == 0 && run.output.isEmpty();
    }

    @Test
    void shouldStartWithoutJavaAndSayWhatIsMissing() throws Exception
    {
        final Path bundle = bundle();
        final Run probe = run(Map.of(), directory, List.of(bundle.resolve("run").toString(), "--probe"));

        assertTrue(probe.output.startsWith("gpu "), probe.output);
        assertTrue(probe.exitCode == ExitCode.OK || probe.exitCode == ExitCode.BAD_INPUT, probe.output);
        final Run torch = run(Map.of(), directory, List.of("python3", "-I", "-S", bundle.resolve("torch-times").toString()));
        assertTrue(torch.output.contains("There is no torch for this Python"), torch.output);
        final Run paths = run(Map.of(), bundle, List.of("grep", "-rl", ROOT.toRealPath().toString(), "."));
        assertEquals("", paths.output, "names of this machine");
    }

    @Test
    void shouldRunTheWholeCheckOnTheEmulatedDriver() throws Exception
    {
        final Path emulated = emulatedDriver();
        final Path elsewhere = Files.createDirectories(directory.resolve("else where"));
        final Path bundle = Files.move(bundle(), elsewhere.resolve("bundle"));
        final Run check = run(Map.of("LD_LIBRARY_PATH", emulated.toString()), directory,
            List.of(bundle.resolve("run").toString(), "--rounds=1", "--checked-steps=40", "--steps=40", "--step-time=0",
                "--model-layers=0",
                "--moe-layers=2", "--batch=4", "--cells=4,1/8", "--samples=100"));

        assertEquals(ExitCode.OK, check.exitCode, check.output);
        // All ran, except the one that needs a tool of the CUDA toolkit.
        final int all = GpuSection.values().length;
        assertTrue(check.output.contains(all + " sections: " + (all - 1) + " passed, 0 failed, 1 not run") ||
            check.output.contains(all + " sections: " + all + " passed, 0 failed, 0 not run"), check.output);
        assertEquals("ended", JsonText.leaves(Files.readString(bundle.resolve("gpu.json"))).get("state"));
    }

    /** A file of each part, the archive unpacked by the script. */
    @Test
    void shouldRunInOneCallOnTheEmulatedDriver() throws Exception
    {
        final Path emulated = emulatedDriver();
        final Path bundle = bundle("--archive");
        final Path output = Files.createDirectory(directory.resolve("files"));
        final Map<String, String> small = Map.of("LAYERS", "0", "HEAP", "1g", "STEPS", "40", "CELLS", "4",
            "CHECKS_OPTIONS", "--checked-steps=40 --moe-layers=2 --batch=4",
            "COSTS_OPTIONS", "--samples=100 --moe-layers=2 --batch=4 --step-time=0 --cells=4",
            "OVERHEAD_OPTIONS", "--moe-layers=2 --step-time=0", "BUDGET", "900", "LIMIT_FACTOR", "8",
            "LD_LIBRARY_PATH", emulated.toString());
        final Run run = run(small, directory,
            List.of(bundle.resolve("gpu-first-run").toString(), bundle + ".tar.gz", output.toString()));

        assertEquals(0, run.exitCode, run.output);
        for (final String part : List.of("checks", "model", "profile", "costs", "overhead", "sanitizer"))
        {
            assertEquals("ended", JsonText.leaves(Files.readString(output.resolve(part + ".json"))).get("state"), part);
        }
        final CommandRun tables = CommandRun.of("gpu", "--tables", output.resolve("profile.json").toString());
        assertTrue(tables.out().contains("OLMoE, small, FAST, decode of 4 at context 20:\n\n| kernel "), tables.out());
    }

    private Path emulatedDriver() throws Exception
    {
        final Path emulated = directory.resolve("emulated");
        final Run built = run(Map.of(), ROOT, List.of("backend-cuda/src/test/native/build", emulated.toString()));
        assumeTrue(built.exitCode == 0, "the emulated driver cannot be built here: " + built.output);
        return emulated;
    }

    private Path bundle(final String... options) throws Exception
    {
        final Path bundle = directory.resolve("bundle");
        final List<String> command = new ArrayList<>(List.of("scripts/gpu-bundle", bundle.toString()));
        command.addAll(List.of(options));
        final Run made = run(Map.of("JAVA_HOME", System.getProperty("java.home")), ROOT, command);
        assertEquals(0, made.exitCode, made.output);
        return bundle;
    }

    private static Run run(final Map<String, String> environment, final Path in, final List<String> command)
        throws IOException, InterruptedException
    {
        final ProcessBuilder builder = new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true);
        builder.environment().keySet().retainAll(List.of("PATH"));
        builder.environment().putAll(environment);
        final Process process = builder.start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(MAX_MINUTES, TimeUnit.MINUTES), "still running: " + command);
        return new Run(process.exitValue(), output);
    }

    private record Run(int exitCode, String output)
    {
    }
}
