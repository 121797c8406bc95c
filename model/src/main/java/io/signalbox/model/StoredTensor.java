// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.Arrays;
import java.util.Map;

/**
 * A tensor of a safetensors file, as its header describes it.
 *
 * @param type  as the file calls it.
 * @param begin first byte, from the start of the file.
 * @param end   byte behind the last one.
 */
record StoredTensor(String name, String type, long[] shape, long begin, long end)
{
    private static final Map<String, Integer> BYTES = Map.ofEntries(
        Map.entry("F64", Double.BYTES), Map.entry("I64", Long.BYTES), Map.entry("U64", Long.BYTES),
        Map.entry("F32", Float.BYTES), Map.entry("I32", Integer.BYTES), Map.entry("U32", Integer.BYTES),
        Map.entry("F16", Short.BYTES), Map.entry("BF16", Short.BYTES), Map.entry("I16", Short.BYTES),
        Map.entry("U16", Short.BYTES), Map.entry("I8", 1), Map.entry("U8", 1), Map.entry("BOOL", 1),
        Map.entry("F8_E4M3", 1), Map.entry("F8_E5M2", 1));

    static boolean isType(final String type)
    {
        return BYTES.containsKey(type);
    }

    /** Bytes that its shape needs; -1 if they are more than a long holds, or a size is negative. */
    long shapeBytes()
    {
        long bytes = BYTES.get(type);
        for (final long size : shape)
        {
            if (size < 0 || size > 0 && bytes > Long.MAX_VALUE / size)
            {
                return -1;
            }
            bytes *= size;
        }
        return bytes;
    }

    long bytes()
    {
        return end - begin;
    }

    boolean hasShape(final long... wanted)
    {
        return Arrays.equals(shape, wanted);
    }

    String shapeText()
    {
        return type + " " + Arrays.toString(shape);
    }
}
