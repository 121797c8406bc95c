// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import io.signalbox.cuda.kernel.KernelImage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The command run with the CUDA backend, in a process that finds the emulated driver. */
@Tag("threads")
class CudaRunTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));

    @TempDir
    private Path directory;

    /** The library that the tests of backend-cuda have built last; those that lack a symbol have no objects beside them. */
    private static Optional<Path> emulatedDriver() throws IOException
    {
        final Path built = ROOT.resolve("backend-cuda/target/emulated");
        if (!Files.isDirectory(built))
        {
            return Optional.empty();
        }
        try (Stream<Path> directories = Files.list(built))
        {
            return directories.filter(each -> Files.exists(each.resolve("driver.o")))
                .map(each -> each.resolve("libcuda.so.1")).filter(Files::isRegularFile)
                .max(Comparator.comparing(library -> library.toFile().lastModified()));
        }
    }

    private List<String> arguments(final String backend, final Path prompts)
    {
        return List.of("run", "--json", "--backend", backend, "--prompts", prompts.toString(), "--max-new-tokens", "2",
            "--kv-blocks", "4", "--step-tokens", "8", "--max-running", "2",
            "--out", directory.resolve(backend + ".jsonl").toString(),
            "--journal", directory.resolve(backend).toString());
    }

    private Map<String, String> onEmulatedDriver(final Path driver, final Path prompts) throws Exception
    {
        final List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        Stream.of(System.getProperty("signalbox.jvm.flags").trim().split("\\s+"))
            .map(flag -> flag.startsWith("@") ? "@" + Path.of(flag.substring(1)).toAbsolutePath().normalize() : flag)
            .forEach(line::add);
        line.addAll(List.of("-XX:TieredStopAtLevel=1", "-Dsignalbox.driver.directories=" + driver.getParent(),
            "-Djava.library.path=" + ROOT.resolve("backend-cuda/target/native"),
            "-cp", System.getProperty("java.class.path"), Main.class.getName()));
        line.addAll(arguments("cuda", prompts));
        line.addAll(List.of("--backend-options", "maxGraphTokens=1"));
        final Process process = new ProcessBuilder(line).redirectError(directory.resolve("cuda.err").toFile()).start();
        final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(ExitCode.OK, process.waitFor(), () -> out + error("cuda"));
        return JsonText.leaves(out);
    }

    private String error(final String backend)
    {
        try
        {
            return Files.readString(directory.resolve(backend + ".err"));
        }
        catch (final IOException e)
        {
            return e.toString();
        }
    }

    private String answers(final String backend) throws IOException
    {
        return Files.readString(directory.resolve(backend + ".jsonl")).replaceAll(",\"(first_token|total)_ms\":[^,}]*", "");
    }

    @Test
    void shouldDescribeKernelsAndDeviceAndAnswerAsTheCpuBackend() throws Exception
    {
        final Optional<Path> driver = emulatedDriver();
        assumeTrue(driver.isPresent(), "the tests of backend-cuda have built no emulated driver");
        final Path prompts = Files.writeString(
            directory.resolve("prompts.jsonl"), "{\"prompt\": [1, 2, 3]}\n{\"prompt\": [7, 8, 9]}\n");
        final Map<String, String> cuda = onEmulatedDriver(driver.get(), prompts);
        final Map<String, String> cpu = JsonText.leaves(CommandRun.of(arguments("cpu", prompts)).out());

        assertEquals(answers("cpu"), answers("cuda"));
        assertTrue(setting(cuda, "run.kernels").endsWith(", CUDA kernels " + KernelImage.load().sourceHash()),
            cuda.toString());
        assertTrue(setting(cuda, "run.device").contains(", compute capability "), cuda.toString());
        assertEquals("cuda", setting(cuda, "run.backend"));
        assertEquals("cpu", setting(cpu, "run.backend"));
        assertEquals("true", setting(cuda, "journal.verified"));
    }

    private static String setting(final Map<String, String> document, final String name)
    {
        return document.entrySet().stream().filter(entry -> entry.getKey().endsWith(name)).map(Map.Entry::getValue)
            .findFirst().orElse("none");
    }
}
