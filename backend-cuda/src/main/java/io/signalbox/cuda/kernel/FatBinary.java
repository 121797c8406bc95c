// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.InvariantViolation;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the container that nvcc puts images into: a header, then for each image a header with its kind, architecture and
 * size, and the image. NVIDIA documents none of this; what is read here was found in binaries of nvcc 13.0, uncompressed.
 */
final class FatBinary
{
    private static final int MAGIC = 0xBA55ED50;
    private static final int PTX = 1;
    private static final int ELF = 2;
    private static final int ELF_MAGIC = 0x464C457F;
    private static final int SYMBOL_TABLE = 2;
    private static final int SYMBOL_BYTES = 24;
    private static final int SECTION_BYTES = 64;
    private static final int GLOBAL_BINDING = 1;
    private static final Pattern PTX_SYMBOL =
        Pattern.compile("^\\.visible \\.(?:entry|global \\.align \\d+ \\.\\w+) (\\w+)", Pattern.MULTILINE);

    private final ByteBuffer bytes;

    private FatBinary(final ByteBuffer bytes)
    {
        this.bytes = bytes;
    }

    /** The images in the order of the container. */
    static List<KernelImage.Image> images(final ByteBuffer container)
    {
        return new FatBinary(container.duplicate().order(ByteOrder.LITTLE_ENDIAN)).images();
    }

    private List<KernelImage.Image> images()
    {
        if (bytes.capacity() < 16 || bytes.getInt(0) != MAGIC)
        {
            throw new InvariantViolation("the kernel image is no fat binary of CUDA");
        }
        final List<KernelImage.Image> images = new ArrayList<>();
        int at = bytes.getShort(6);
        while (at < bytes.capacity())
        {
            final int headerBytes = bytes.getInt(at + 4);
            final int imageBytes = (int)bytes.getLong(at + 8);
            images.add(image(bytes.getShort(at), bytes.getInt(at + 28), at + headerBytes, imageBytes));
            at += headerBytes + imageBytes;
        }
        return List.copyOf(images);
    }

    private KernelImage.Image image(final int kind, final int architecture, final int offset, final int length)
    {
        return switch (kind)
        {
            case PTX -> new KernelImage.Image(true, architecture, ptxSymbols(offset, length));
            case ELF -> new KernelImage.Image(false, architecture, elfSymbols(offset));
            default -> throw new InvariantViolation("the kernel image has a part of unknown kind " + kind);
        };
    }

    private List<String> ptxSymbols(final int offset, final int length)
    {
        final byte[] text = new byte[length];
        bytes.get(offset, text);
        final List<String> symbols = new ArrayList<>();
        final Matcher matcher = PTX_SYMBOL.matcher(new String(text, StandardCharsets.ISO_8859_1));
        while (matcher.find())
        {
            symbols.add(matcher.group(1));
        }
        return List.copyOf(symbols);
    }

    private List<String> elfSymbols(final int elf)
    {
        if (bytes.getInt(elf) != ELF_MAGIC)
        {
            throw new InvariantViolation("the kernel image has machine code that is no ELF file; it must not be compressed");
        }
        final int sections = elf + (int)bytes.getLong(elf + 40);
        final int count = bytes.getShort(elf + 60);
        final List<String> symbols = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final int section = sections + i * SECTION_BYTES;
            if (bytes.getInt(section + 4) == SYMBOL_TABLE)
            {
                final int strings = sections + bytes.getInt(section + 40) * SECTION_BYTES;
                readSymbols(elf, section, elf + (int)bytes.getLong(strings + 24), symbols);
            }
        }
        return List.copyOf(symbols);
    }

    private void readSymbols(final int elf, final int section, final int names, final List<String> symbols)
    {
        final int from = elf + (int)bytes.getLong(section + 24);
        final int to = from + (int)bytes.getLong(section + 32);
        for (int symbol = from; symbol < to; symbol += SYMBOL_BYTES)
        {
            if (bytes.get(symbol + 4) >> 4 == GLOBAL_BINDING)
            {
                symbols.add(name(names + bytes.getInt(symbol)));
            }
        }
    }

    private String name(final int from)
    {
        int to = from;
        while (bytes.get(to) != 0)
        {
            to++;
        }
        final byte[] name = new byte[to - from];
        bytes.get(from, name);
        return new String(name, StandardCharsets.ISO_8859_1);
    }
}
