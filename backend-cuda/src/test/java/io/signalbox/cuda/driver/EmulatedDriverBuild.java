// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builds the emulated driver once for each state of its sources, into a directory of {@code target/emulated} named by
 * their hash. Two processes may do so at once.
 */
public final class EmulatedDriverBuild
{
    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path NATIVE = MODULE.resolve("src/test/native");
    private static final Path KERNELS = MODULE.resolve("src/main/cuda");
    private static final String SANITIZER = "address-sanitizer";
    private static final String MADE = "made";
    private static final long MAX_BUILD_MINUTES = 10;

    private EmulatedDriverBuild()
    {
    }

    /** Why the library cannot be built here, empty if it can. */
    public static String whyNot()
    {
        if (!System.getProperty("os.name").startsWith("Linux"))
        {
            return "the emulated CUDA driver is built on Linux only";
        }
        final String compiler = compiler();
        return run(List.of("sh", "-c", "command -v " + compiler)).isPresent() ? "" :
            "the emulated CUDA driver needs a C++ compiler, and there is no '" + compiler + "'";
    }

    /** Why the program for the address sanitizer cannot be built here, empty if it can. */
    public static String whyNoSanitizer()
    {
        final String whyNot = whyNot();
        final String link = "echo 'int main() {}' | " + compiler() + " -fsanitize=address -x c++ -o /dev/null -";
        return !whyNot.isEmpty() || run(List.of("sh", "-c", link)).isPresent() ? whyNot :
            "the C++ compiler has no address sanitizer; install libasan";
    }

    /** The library, built if need be; a process whose library path starts with its directory uses it as its driver. */
    public static Path library()
    {
        return built(Map.of()).resolve("libcuda.so.1");
    }

    /** The library without one of the symbols that it exports, such as {@code cuGraphUpload} or {@code cuMemAlloc_v2}. */
    public static Path libraryWithout(final String symbol)
    {
        final Path whole = library().getParent();
        return built(Map.of(), "without", symbol, whole.toString()).resolve("libcuda.so.1");
    }

    /** The program that runs kernels under the address sanitizer, built if need be. */
    public static Path sanitizedProgram()
    {
        return built(Map.of(), SANITIZER).resolve("kernel-check");
    }

    /**
     * A library of kernels that were made of PTX, for {@link #library}.
     *
     * @param sources C++ by the name of its file.
     */
    public static Path ptxKernels(final SortedMap<String, String> sources)
    {
        return built(sources, "ptx", library().getParent().toString()).resolve("kernels.so");
    }

    private static Path built(final Map<String, String> sources, final String... variant)
    {
        final Path target = MODULE.resolve("target/emulated");
        final Path made = target.resolve(hash(sources, variant));
        try
        {
            Files.createDirectories(target);
            try (FileChannel lock = FileChannel.open(
                target.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE))
            {
                lock.lock();
                if (!Files.exists(made.resolve(MADE)))
                {
                    Files.createDirectories(made);
                    for (final Map.Entry<String, String> source : sources.entrySet())
                    {
                        Files.writeString(made.resolve(source.getKey()), source.getValue());
                    }
                    build(made, variant);
                    Files.createFile(made.resolve(MADE));
                }
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return made;
    }

    private static void build(final Path directory, final String... variant) throws IOException
    {
        final Path log = directory.resolve("build.log");
        final List<String> command = new ArrayList<>(List.of(NATIVE.resolve("build").toString(), directory.toString()));
        command.addAll(List.of(variant));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (exitCode(process) != 0)
        {
            throw new IllegalStateException("the emulated CUDA driver does not build:\n" + Files.readString(log));
        }
    }

    /** Of all sources with their names, the compiler and what is built. */
    private static String hash(final Map<String, String> sources, final String... variant)
    {
        try (Stream<Path> tests = Files.list(NATIVE); Stream<Path> kernels = Files.list(KERNELS))
        {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (final Path file : Stream.concat(tests, kernels).sorted().collect(Collectors.toList()))
            {
                digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
                digest.update(Files.readAllBytes(file));
            }
            final String version = run(List.of("sh", "-c", compiler() + " --version")).orElse("");
            digest.update((String.join(" ", variant) + sources + version).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException(e);
        }
    }

    private static String compiler()
    {
        return Optional.ofNullable(System.getenv("CXX")).orElse("g++");
    }

    /** The output of a command, empty if it failed. */
    private static Optional<String> run(final List<String> command)
    {
        try
        {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return exitCode(process) == 0 ? Optional.of(output) : Optional.empty();
        }
        catch (final IOException e)
        {
            return Optional.empty();
        }
    }

    private static int exitCode(final Process process)
    {
        try
        {
            if (!process.waitFor(MAX_BUILD_MINUTES, TimeUnit.MINUTES))
            {
                process.destroyForcibly();
                return -1;
            }
            return process.exitValue();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            return -1;
        }
    }
}
