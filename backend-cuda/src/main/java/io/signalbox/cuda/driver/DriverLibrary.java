// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The driver's library {@code libcuda.so.1}: its path if the loader does not find it, and whether it has the functions
 * that the binding calls. The binding resolves them when they are first called, and a name that is not there would end the
 * process.
 */
final class DriverLibrary
{
    static final String NAME = "libcuda.so.1";
    /** Directories separated as in a search path, in place of {@link #USUAL}. */
    static final String DIRECTORIES_PROPERTY = "signalbox.driver.directories";
    /** Distributions, containers, WSL, NixOS, and the compatibility packages of the toolkit. */
    static final List<String> USUAL = List.of("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib",
        "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/lib64/nvidia", "/usr/lib/nvidia", "/usr/local/nvidia/lib64",
        "/usr/local/nvidia/lib", "/run/nvidia/driver/usr/lib/x86_64-linux-gnu", "/run/nvidia/driver/usr/lib64",
        "/usr/lib/wsl/lib", "/run/opengl-driver/lib", "/usr/local/cuda/compat");
    /** As the library exports them: some have a suffix for the version of their parameters. */
    static final List<String> NEEDED = List.of("cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet",
        "cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
        "cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent", "cuMemGetInfo_v2", "cuModuleLoadDataEx", "cuModuleUnload",
        "cuModuleGetFunction", "cuFuncSetAttribute", "cuModuleGetGlobal_v2", "cuMemAlloc_v2", "cuMemFree_v2",
        "cuMemHostAlloc", "cuMemHostGetDevicePointer_v2", "cuMemFreeHost", "cuStreamCreate", "cuStreamCreateWithPriority",
        "cuStreamDestroy_v2", "cuStreamQuery", "cuStreamSynchronize", "cuEventCreate", "cuEventDestroy_v2",
        "cuEventRecord", "cuEventQuery",
        "cuEventElapsedTime", "cuStreamWaitEvent", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemsetD32Async",
        "cuStreamWriteValue32_v2", "cuLaunchKernel", "cuStreamBeginCapture_v2", "cuStreamEndCapture",
        "cuGraphInstantiateWithFlags", "cuGraphUpload", "cuGraphLaunch", "cuGraphDestroy", "cuGraphExecDestroy");

    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    private DriverLibrary()
    {
    }

    /** Whether the loader said that it finds no such library, rather than that it cannot load it. */
    static boolean isNotFound(final UnsatisfiedLinkError error)
    {
        final String message = String.valueOf(error.getMessage());
        return message.contains(NAME + ": cannot open shared object file");
    }

    /**
     * Loads the first library of that name in the usual directories that can be loaded: one of them may be for 32 bits.
     *
     * @return null if there is none.
     * @throws UnsatisfiedLinkError of the first, if none of them can be loaded.
     */
    static Path loadFromUsualDirectory()
    {
        final String given = System.getProperty(DIRECTORIES_PROPERTY);
        final List<String> directories =
            given == null ? USUAL : Arrays.asList(given.split(Pattern.quote(File.pathSeparator)));
        UnsatisfiedLinkError first = null;
        for (final String directory : directories)
        {
            final Path candidate = Path.of(directory, NAME);
            if (Files.isReadable(candidate))
            {
                final UnsatisfiedLinkError refusal = refusal(candidate);
                if (refusal == null)
                {
                    return candidate;
                }
                first = first == null ? refusal : first;
            }
        }
        if (first != null)
        {
            throw first;
        }
        return null;
    }

    /** Why a library cannot be loaded; null if it now is. */
    private static UnsatisfiedLinkError refusal(final Path library)
    {
        try
        {
            System.load(library.toAbsolutePath().toString());
            return null;
        }
        catch (final UnsatisfiedLinkError e)
        {
            return e;
        }
    }

    /** @throws MissingSymbolError if the library that this process has loaded lacks a needed function. */
    static void checkSymbols()
    {
        final Path loaded = loaded();
        if (loaded == null)
        {
            return;
        }
        final Set<String> defined;
        try
        {
            defined = ElfSymbols.defined(loaded);
        }
        catch (final IOException | RuntimeException e)
        {
            // A table that cannot be read is no reason to refuse a driver that the loader has taken.
            return;
        }
        for (final String symbol : defined == null ? List.<String>of() : NEEDED)
        {
            if (!defined.contains(symbol))
            {
                throw new MissingSymbolError(loaded.toString(), symbol);
            }
        }
    }

    /** The file that is mapped into this process; null if none is, or if that cannot be seen. */
    static Path loaded()
    {
        try (Stream<String> lines = Files.lines(MAPPINGS))
        {
            return lines.filter(line -> line.contains("/libcuda.so")).map(line -> line.substring(line.indexOf('/')))
                .filter(file -> !file.endsWith("(deleted)")).map(Path::of).findFirst().orElse(null);
        }
        catch (final IOException | RuntimeException e)
        {
            return null;
        }
    }
}
