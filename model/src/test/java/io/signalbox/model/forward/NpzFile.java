// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Arrays of a NumPy archive: little-endian, C order, of float32, int32 or int16, all widened to float or int. */
final class NpzFile
{
    private static final Pattern HEADER =
        Pattern.compile("'descr': '<([a-z]\\d)'.*'fortran_order': False.*'shape': \\(([\\d, ]*)\\)");

    /** One array. */
    record Values(String type, int[] shape, ByteBuffer bytes)
    {
        int count()
        {
            return Arrays.stream(shape).reduce(1, (a, b) -> a * b);
        }

        float[] floats()
        {
            final float[] values = new float[count()];
            bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
            return values;
        }

        int[] ints()
        {
            final int[] values = new int[count()];
            final ByteBuffer source = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < values.length; i++)
            {
                values[i] = type.equals("i2") ? source.getShort() : source.getInt();
            }
            return values;
        }
    }

    private final Map<String, Values> arrays = new TreeMap<>();

    NpzFile(final Path file) throws IOException
    {
        try (InputStream stream = Files.newInputStream(file); ZipInputStream zip = new ZipInputStream(stream))
        {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry())
            {
                arrays.put(entry.getName().replaceFirst("\\.npy$", ""), values(zip.readAllBytes()));
            }
        }
    }

    private static Values values(final byte[] file)
    {
        final ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        final int length = file[6] == 1 ? bytes.getShort(8) & 0xFFFF : bytes.getInt(8);
        final int from = file[6] == 1 ? 10 : 12;
        final String header = new String(file, from, length, StandardCharsets.US_ASCII);
        final Matcher matcher = HEADER.matcher(header);
        if (!matcher.find())
        {
            throw new IllegalArgumentException("unexpected header " + header);
        }
        final int[] shape = Arrays.stream(matcher.group(2).split(",")).map(String::strip).filter(s -> !s.isEmpty())
            .mapToInt(Integer::parseInt).toArray();
        return new Values(matcher.group(1), shape, bytes.slice(from + length, file.length - from - length));
    }

    boolean has(final String name)
    {
        return arrays.containsKey(name);
    }

    Values get(final String name)
    {
        if (!has(name))
        {
            throw new IllegalArgumentException("no array " + name + " among " + arrays.keySet());
        }
        return arrays.get(name);
    }
}
