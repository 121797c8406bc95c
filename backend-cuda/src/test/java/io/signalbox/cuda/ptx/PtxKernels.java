// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.ptx;

import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriverBuild;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Lets the emulated driver run kernels of the shipped PTX, not of the sources, in a class of tests. */
public final class PtxKernels implements BeforeAllCallback, AfterAllCallback
{
    private final Collection<String> kernels;

    private PtxKernels(final Collection<String> kernels)
    {
        this.kernels = kernels;
    }

    /** These kernels, and all others from the sources. */
    public static PtxKernels of(final String... kernels)
    {
        return new PtxKernels(List.of(kernels));
    }

    /**
     * Changes the text of a kernel of the PTX. The driver runs the changed kernel until {@link #restore}.
     *
     * @param instruction a regular expression; each match in a line of the kernel is replaced.
     * @param replacement the new text, which may name groups of the expression, such as {@code $1}.
     */
    public static void plant(final String kernel, final String instruction, final String replacement)
    {
        final PtxModule module = PtxModule.shipped();
        final PtxKernel shipped = module.kernels().get(kernel);
        final List<String> lines =
            shipped.lines().stream().map(line -> line.replaceAll(instruction, replacement)).toList();
        if (lines.equals(shipped.lines()))
        {
            throw new IllegalArgumentException("no line of the PTX of " + kernel + " has " + instruction);
        }
        EmulatedDriver.kernels(EmulatedDriverBuild.ptxKernels(new TreeMap<>(Map.of(kernel + ".cpp", PtxTranslator.translate(
            module, new PtxKernel(kernel, shipped.parameters(), shipped.maxThreads(), lines))))));
    }

    /** Ends {@link #plant}. */
    public static void restore()
    {
        EmulatedDriver.kernels(ofProcess());
    }

    /**
     * The kernels for classes of tests that choose none: with {@code -Dsignalbox.kernels=ptx} a library with all kernels of
     * the PTX; without it {@code null}, which means those of the sources.
     */
    public static Path ofProcess()
    {
        if (!"ptx".equals(System.getProperty("signalbox.kernels")))
        {
            return null;
        }
        final PtxModule module = PtxModule.shipped();
        return library(module, module.kernels().keySet());
    }

    /** The kernels of a text as a library for {@link EmulatedDriver#kernels}. */
    static Path library(final PtxModule module, final Collection<String> kernels)
    {
        final SortedMap<String, String> sources = new TreeMap<>();
        for (final String name : kernels)
        {
            sources.put(name + ".cpp", PtxTranslator.translate(module, module.kernels().get(name)));
        }
        return EmulatedDriverBuild.ptxKernels(sources);
    }

    @Override
    public void beforeAll(final ExtensionContext context)
    {
        EmulatedDriver.assumeAvailable();
        EmulatedDriver.kernels(library(PtxModule.shipped(), kernels));
    }

    @Override
    public void afterAll(final ExtensionContext context)
    {
        restore();
    }
}
