// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.InvariantViolation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The kernels, compiled ahead of time into one fat binary that is part of this module. All images in it carry the hash of
 * the sources that they were built from.
 */
public final class KernelImage
{
    /** The beginning of the name of the symbol with the source hash; 16 hex digits follow. */
    public static final String SOURCE_PREFIX = "signalbox_source_";
    private static final String RESOURCE = "signalbox.fatbin";

    private final ByteBuffer bytes;
    private final List<Image> images;
    private final String sourceHash;

    private KernelImage(final ByteBuffer bytes)
    {
        this.bytes = bytes;
        images = FatBinary.images(bytes);
        sourceHash = commonSourceHash(images);
    }

    /** Reads the image that this module was built with. */
    public static KernelImage load()
    {
        try (InputStream stream = KernelImage.class.getResourceAsStream(RESOURCE))
        {
            if (stream == null)
            {
                throw new InvariantViolation("the kernel image " + RESOURCE + " is not in the module");
            }
            final byte[] content = stream.readAllBytes();
            final ByteBuffer bytes = ByteBuffer.allocateDirect(content.length).order(ByteOrder.LITTLE_ENDIAN);
            return new KernelImage(bytes.put(content).flip());
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException("The kernel image " + RESOURCE + " could not be read.", e);
        }
    }

    /** The whole fat binary in a direct buffer, as the driver loads it. */
    public ByteBuffer bytes()
    {
        return bytes.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    public List<Image> images()
    {
        return images;
    }

    /** The first 16 hex digits of the SHA-256 over all kernel sources in the order of their names. */
    public String sourceHash()
    {
        return sourceHash;
    }

    /** The symbol that every image carries. */
    public String sourceSymbol()
    {
        return SOURCE_PREFIX + sourceHash;
    }

    private static String commonSourceHash(final List<Image> images)
    {
        final List<String> hashes = images.stream().map(Image::sourceHash).distinct().toList();
        if (hashes.size() != 1)
        {
            throw new InvariantViolation("the parts of the kernel image were built from different sources: " + hashes);
        }
        return hashes.get(0);
    }

    /**
     * One compiled form of all kernels.
     *
     * @param ptx          whether the driver compiles it when it is loaded.
     * @param architecture compute capability times ten: 90 for sm_90.
     * @param symbols      global names: kernels and variables.
     */
    public record Image(boolean ptx, int architecture, List<String> symbols)
    {
        /** The source hash that this image carries. */
        public String sourceHash()
        {
            final List<String> found = symbols.stream().filter(symbol -> symbol.startsWith(SOURCE_PREFIX)).toList();
            if (found.size() != 1)
            {
                throw new InvariantViolation("the kernel image for " + architecture + " carries " + found.size() +
                    " source hashes, not one");
            }
            return found.get(0).substring(SOURCE_PREFIX.length());
        }
    }
}
