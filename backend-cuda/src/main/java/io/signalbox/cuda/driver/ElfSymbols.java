// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** The dynamic symbols of a 64-bit little-endian ELF library: what the loader of Linux looks names up in. */
final class ElfSymbols
{
    private static final int MAGIC = 0x464C457F;
    private static final int CLASS_64_LITTLE_ENDIAN = 0x0102;
    private static final int HEADER_BYTES = 64;
    private static final int SECTION_TABLE_OFFSET = 40;
    private static final int SECTION_COUNT_OFFSET = 60;
    private static final int SECTION_BYTES = 64;
    private static final int SYMBOL_BYTES = 24;
    private static final int DYNSYM = 11;
    private static final int SHORT_MASK = 0xFFFF;

    private ElfSymbols()
    {
    }

    /**
     * Names that a library defines.
     *
     * @return null if the file is no such library, or does not show its table.
     * @throws IOException if it cannot be read.
     */
    static Set<String> defined(final Path library) throws IOException
    {
        try (FileChannel file = FileChannel.open(library, StandardOpenOption.READ))
        {
            final ByteBuffer header = read(file, 0, HEADER_BYTES);
            if (header.getInt(0) != MAGIC || header.getShort(4) != CLASS_64_LITTLE_ENDIAN)
            {
                return null;
            }
            final int sections = header.getShort(SECTION_COUNT_OFFSET) & SHORT_MASK;
            final ByteBuffer table = read(file, header.getLong(SECTION_TABLE_OFFSET), sections * SECTION_BYTES);
            for (int section = 0; section < sections; section++)
            {
                final int at = section * SECTION_BYTES;
                if (table.getInt(at + 4) == DYNSYM)
                {
                    return names(section(file, table, section), section(file, table, table.getInt(at + 40)));
                }
            }
            return null;
        }
    }

    private static ByteBuffer section(final FileChannel file, final ByteBuffer table, final int section) throws IOException
    {
        final int at = section * SECTION_BYTES;
        return read(file, table.getLong(at + 24), Math.toIntExact(table.getLong(at + 32)));
    }

    private static Set<String> names(final ByteBuffer symbols, final ByteBuffer texts)
    {
        final Set<String> names = new HashSet<>();
        for (int at = 0; at + SYMBOL_BYTES <= symbols.capacity(); at += SYMBOL_BYTES)
        {
            // A symbol without a section is one that the library asks others for.
            if (symbols.getShort(at + 6) != 0)
            {
                names.add(text(texts, symbols.getInt(at)));
            }
        }
        return names;
    }

    private static String text(final ByteBuffer texts, final int start)
    {
        int end = start;
        while (texts.get(end) != 0)
        {
            end++;
        }
        final byte[] bytes = new byte[end - start];
        texts.get(start, bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private static ByteBuffer read(final FileChannel file, final long from, final int bytes) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining())
        {
            if (file.read(buffer, from + buffer.position()) < 0)
            {
                throw new IOException("the file ends at " + (from + buffer.position()) + " bytes, inside one of its tables");
            }
        }
        return buffer.flip();
    }
}
