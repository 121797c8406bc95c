// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Content of arrays of primitives: elements up to the last non-zero element, at least one sixteenth of the array, big
 * endian. So an array takes at most sixteen times the memory of its bytes in the image.
 */
final class PrimitiveArrays
{
    private static final int CHUNK_BYTES = 1 << 16;
    private static final int MOST_PER_ELEMENT = 16;

    private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);

    void write(final Object array, final DataOutputStream out) throws IOException
    {
        final int used = Math.max(used(array), leastUsed(Array.getLength(array)));
        out.writeInt(used);
        if (array instanceof byte[] bytes)
        {
            out.write(bytes, 0, used);
            return;
        }
        final int most = CHUNK_BYTES / Long.BYTES;
        for (int from = 0; from < used; from += most)
        {
            final int count = Math.min(most, used - from);
            chunk.clear();
            put(array, from, count);
            out.write(chunk.array(), 0, chunk.position());
        }
    }

    /** Number of elements that are always written for an array of this length. */
    static int leastUsed(final int length)
    {
        return length / MOST_PER_ELEMENT;
    }

    private static int used(final Object array)
    {
        int used = Array.getLength(array);
        if (array instanceof byte[] bytes)
        {
            while (used > 0 && bytes[used - 1] == 0)
            {
                used--;
            }
        }
        else if (array instanceof long[] longs)
        {
            while (used > 0 && longs[used - 1] == 0)
            {
                used--;
            }
        }
        else if (array instanceof int[] ints)
        {
            while (used > 0 && ints[used - 1] == 0)
            {
                used--;
            }
        }
        return used;
    }

    private void put(final Object array, final int from, final int count)
    {
        if (array instanceof long[] longs)
        {
            chunk.asLongBuffer().put(longs, from, count);
            chunk.position(count * Long.BYTES);
        }
        else if (array instanceof int[] ints)
        {
            chunk.asIntBuffer().put(ints, from, count);
            chunk.position(count * Integer.BYTES);
        }
        else if (array instanceof short[] shorts)
        {
            chunk.asShortBuffer().put(shorts, from, count);
            chunk.position(count * Short.BYTES);
        }
        else if (array instanceof boolean[] flags)
        {
            for (int i = from; i < from + count; i++)
            {
                chunk.put((byte)(flags[i] ? 1 : 0));
            }
        }
        else
        {
            throw unknown(array.getClass());
        }
    }

    private static UnfitImageException unknown(final Class<?> type)
    {
        return new UnfitImageException("it has an array of " + type.getComponentType());
    }

    /** Fills the whole array; all elements except the first ones are zero. */
    void read(final Object array, final int used, final DataInputStream in) throws IOException
    {
        final int length = Array.getLength(array);
        if (array instanceof byte[] bytes)
        {
            in.readFully(bytes, 0, used);
        }
        else
        {
            readChunks(array, used, in);
        }
        clear(array, used, length);
    }

    private void readChunks(final Object array, final int used, final DataInputStream in) throws IOException
    {
        final int most = CHUNK_BYTES / Long.BYTES;
        final int elementBytes = elementBytes(array.getClass().getComponentType());
        for (int from = 0; from < used; from += most)
        {
            final int count = Math.min(most, used - from);
            chunk.clear();
            in.readFully(chunk.array(), 0, count * elementBytes);
            take(array, from, count);
        }
    }

    /** Bytes of an element in the image; an object has at least its tag. */
    static int elementBytes(final Class<?> component)
    {
        return component == long.class ? Long.BYTES : component == int.class ? Integer.BYTES :
            component == short.class ? Short.BYTES : 1;
    }

    private void take(final Object array, final int from, final int count)
    {
        if (array instanceof long[] longs)
        {
            chunk.asLongBuffer().get(longs, from, count);
        }
        else if (array instanceof int[] ints)
        {
            chunk.asIntBuffer().get(ints, from, count);
        }
        else if (array instanceof short[] shorts)
        {
            chunk.asShortBuffer().get(shorts, from, count);
        }
        else if (array instanceof boolean[] flags)
        {
            for (int i = 0; i < count; i++)
            {
                flags[from + i] = chunk.get(i) != 0;
            }
        }
        else
        {
            throw unknown(array.getClass());
        }
    }

    private static void clear(final Object array, final int from, final int to)
    {
        if (array instanceof byte[] bytes)
        {
            Arrays.fill(bytes, from, to, (byte)0);
        }
        else if (array instanceof long[] longs)
        {
            Arrays.fill(longs, from, to, 0);
        }
        else if (array instanceof int[] ints)
        {
            Arrays.fill(ints, from, to, 0);
        }
        else if (array instanceof short[] shorts)
        {
            Arrays.fill(shorts, from, to, (short)0);
        }
        else if (array instanceof boolean[] flags)
        {
            Arrays.fill(flags, from, to, false);
        }
    }
}
