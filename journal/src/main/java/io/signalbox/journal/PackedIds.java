// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Packs unsigned numbers of one or two bytes into fewer bits and back: number i takes the bits from i x bits on, the lowest
 * bit of a byte first. Eight numbers take as many bytes as one takes bits, so every eighth begins with a byte, and eight are
 * folded at a time.
 */
public final class PackedIds
{
    /** Bytes behind the packed or unpacked ones that may be overwritten, and must be there. */
    public static final int SLACK_BYTES = 2 * Long.BYTES;
    private static final int AT_ONCE = 8;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long BYTES_OF_SHORTS = 0x00FF_00FF_00FF_00FFL;
    private static final long SHORTS_OF_INTS = 0x0000_FFFF_0000_FFFFL;
    private static final long INT_OF_LONG = 0xFFFF_FFFFL;

    private PackedIds()
    {
    }

    /** Bytes of so many packed numbers. */
    public static long packedBytes(final long count, final int bits)
    {
        return (count * bits + Byte.SIZE - 1) / Byte.SIZE;
    }

    /** Bits of the largest of the numbers, at least 1; stops as soon as no bit can be saved. */
    public static int bitsOf(final byte[] source, final int from, final int bytes, final int idBytes)
    {
        final long top = idBytes == Byte.BYTES ? 0x8080_8080_8080_8080L : 0x8000_8000_8000_8000L;
        long all = 0;
        int at = from;
        for (final int end = from + bytes - Long.BYTES + 1; at < end && (all & top) == 0; at += Long.BYTES)
        {
            all |= (long)LONG.get(source, at);
        }
        if ((all & top) != 0)
        {
            return idBytes * Byte.SIZE;
        }
        for (int i = 0; at + i < from + bytes; i++)
        {
            all |= (source[at + i] & 0xFFL) << (i % idBytes * Byte.SIZE);
        }
        all |= all >>> Integer.SIZE;
        all |= all >>> Short.SIZE;
        all = idBytes == Byte.BYTES ? (all | all >>> Byte.SIZE) & 0xFF : all & 0xFFFF;
        return Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(all));
    }

    /** Packs numbers of at most {@code bits} bits; both arrays have {@link #SLACK_BYTES} behind the bytes that are used. */
    public static void pack(
        final byte[] source,
        final int from,
        final int count,
        final int idBytes,
        final int bits,
        final byte[] target,
        final int to)
    {
        if (idBytes == Byte.BYTES)
        {
            packBytes(source, from, count, bits, target, to);
        }
        else
        {
            packShorts(source, from, count, bits, target, to);
        }
    }

    private static void packBytes(
        final byte[] source, final int from, final int count, final int bits, final byte[] target, final int to)
    {
        int at = to;
        int left = count;
        for (int i = from; left > 0; i += AT_ONCE, left -= AT_ONCE, at += bits)
        {
            LONG.set(target, at, foldBytes(numbers((long)LONG.get(source, i), left * Byte.SIZE), bits));
        }
    }

    private static void packShorts(
        final byte[] source, final int from, final int count, final int bits, final byte[] target, final int to)
    {
        final int half = AT_ONCE / 2 * bits;
        int at = to;
        int left = count;
        for (int i = from; left > 0; i += 2 * AT_ONCE, left -= AT_ONCE, at += bits)
        {
            final long first = foldShorts(numbers((long)LONG.get(source, i), left * Short.SIZE), bits);
            final long second = left * Short.SIZE <= Long.SIZE ? 0
                : foldShorts(numbers((long)LONG.get(source, i + Long.BYTES), left * Short.SIZE - Long.SIZE), bits);
            LONG.set(target, at, first | second << half);
            LONG.set(target, at + Long.BYTES, second >>> Long.SIZE - half);
        }
    }

    /** The lower bits of a word; bits behind the last number belong to something else. */
    private static long numbers(final long word, final int usedBits)
    {
        return usedBits >= Long.SIZE ? word : word & (1L << usedBits) - 1;
    }

    private static long foldBytes(final long word, final int bits)
    {
        return foldShorts(word & BYTES_OF_SHORTS | (word >>> Byte.SIZE & BYTES_OF_SHORTS) << bits, 2 * bits);
    }

    private static long foldShorts(final long word, final int bits)
    {
        final long two = word & SHORTS_OF_INTS | (word >>> Short.SIZE & SHORTS_OF_INTS) << bits;
        return two & INT_OF_LONG | two >>> Integer.SIZE << 2 * bits;
    }

    /** Reverses {@link #pack}; both arrays have {@link #SLACK_BYTES} behind the bytes that are used. */
    public static void unpack(
        final byte[] source,
        final int from,
        final int count,
        final int idBytes,
        final int bits,
        final byte[] target,
        final int to)
    {
        if (idBytes == Byte.BYTES)
        {
            unpackBytes(source, from, count, bits, target, to);
        }
        else
        {
            unpackShorts(source, from, count, bits, target, to);
        }
    }

    private static void unpackBytes(
        final byte[] source, final int from, final int count, final int bits, final byte[] target, final int to)
    {
        final long low = repeated((1L << bits) - 1, Short.SIZE);
        int at = to;
        int next = from;
        for (int left = count; left > 0; left -= AT_ONCE, at += AT_ONCE, next += bits)
        {
            final long pairs = spreadShorts((long)LONG.get(source, next), 2 * bits);
            LONG.set(target, at, pairs & low | (pairs >>> bits & low) << Byte.SIZE);
        }
    }

    private static void unpackShorts(
        final byte[] source, final int from, final int count, final int bits, final byte[] target, final int to)
    {
        final int half = AT_ONCE / 2 * bits;
        int at = to;
        int next = from;
        for (int left = count; left > 0; left -= AT_ONCE, at += 2 * AT_ONCE, next += bits)
        {
            final long first = (long)LONG.get(source, next);
            final long behind = (long)LONG.get(source, next + Long.BYTES);
            LONG.set(target, at, spreadShorts(first, bits));
            LONG.set(target, at + Long.BYTES, spreadShorts(first >>> half | behind << Long.SIZE - half, bits));
        }
    }

    /** Four numbers of {@code bits} bits in the lowest bits of a word, each into two bytes. */
    private static long spreadShorts(final long word, final int bits)
    {
        final long two = 2 * bits == Integer.SIZE ? INT_OF_LONG : (1L << 2 * bits) - 1;
        final long pairs = word & two | (word >>> 2 * bits & two) << Integer.SIZE;
        final long one = repeated((1L << bits) - 1, Integer.SIZE);
        return pairs & one | (pairs >>> bits & one) << Short.SIZE;
    }

    private static long repeated(final long lane, final int laneBits)
    {
        return laneBits == Short.SIZE
            ? lane | lane << Short.SIZE | lane << 2 * Short.SIZE | lane << 3 * Short.SIZE
            : lane | lane << Integer.SIZE;
    }
}
