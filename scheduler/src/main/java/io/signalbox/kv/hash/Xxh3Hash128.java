// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

import io.signalbox.InvariantViolation;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * XXH3-128 with seed 0 and the default secret, of messages of 1 to 1,024 bytes, as the specification of xxHash 0.8
 * has it (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). Integer arithmetic on little-endian words, so the same bits
 * on every machine. It keeps accidents apart, not attackers. No garbage; not thread-safe.
 */
final class Xxh3Hash128
{
    private static final long PRIME32_1 = 0x9E3779B1L;
    private static final long PRIME32_2 = 0x85EBCA77L;
    private static final long PRIME32_3 = 0xC2B2AE3DL;
    private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME64_3 = 0x165667B19E3779F9L;
    private static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME64_5 = 0x27D4EB2F165667C5L;
    private static final long PRIME_MX1 = 0x165667919E3779F9L;
    private static final long PRIME_MX2 = 0x9FB21C651E98DF25L;

    private static final byte[] SECRET = HexFormat.of().parseHex(
        "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f" +
        "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c" +
        "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
        "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364" +
        "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e" +
        "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

    private static final VarHandle INT32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Longer messages need a further loop, which C2 of Java 17 miscompiled in every form that was tried. */
    static final int MAX_BYTES = 1024;

    private static final int STRIPE_BYTES = 64;
    private static final int LAST_STRIPE_SECRET = 121;

    private long low;
    private long high;

    /** The lower half of the last hash. */
    long low()
    {
        return low;
    }

    /** The upper half of the last hash. */
    long high()
    {
        return high;
    }

    /** Hashes the first bytes of an array, at least one and at most {@link #MAX_BYTES}. */
    void hash(final byte[] message, final int length)
    {
        if (length < 1 || length > MAX_BYTES)
        {
            throw new InvariantViolation("a message of " + length + " bytes is not between 1 and " + MAX_BYTES);
        }
        if (length > 240)
        {
            hashLong(message, length);
        }
        else if (length > 128)
        {
            hashUpTo240(message, length);
        }
        else if (length > 16)
        {
            hashUpTo128(message, length);
        }
        else if (length > 8)
        {
            hashUpTo16(message, length);
        }
        else if (length > 3)
        {
            hashUpTo8(message, length);
        }
        else
        {
            hashUpTo3(message, length);
        }
    }

    private void hashUpTo3(final byte[] message, final int length)
    {
        final int combined = message[length - 1] & 0xFF | length << 8 |
            (message[0] & 0xFF) << 16 | (message[length >> 1] & 0xFF) << 24;
        final int reversed = Integer.rotateLeft(Integer.reverseBytes(combined), 13);
        low = avalancheOfXxh64(Integer.toUnsignedLong(int32(SECRET, 0) ^ int32(SECRET, 4) ^ combined));
        high = avalancheOfXxh64(Integer.toUnsignedLong(int32(SECRET, 8) ^ int32(SECRET, 12) ^ reversed));
    }

    private void hashUpTo8(final byte[] message, final int length)
    {
        final long combined = Integer.toUnsignedLong(int32(message, 0)) | (long)int32(message, length - 4) << 32;
        final long value = int64(SECRET, 16) ^ int64(SECRET, 24) ^ combined;
        final long multiplier = PRIME64_1 + (length << 2);
        final long product = value * multiplier;
        final long upper = multiplyHigh(value, multiplier) + (product << 1);
        long mixed = product ^ upper >>> 3;
        mixed ^= mixed >>> 35;
        mixed *= PRIME_MX2;
        low = mixed ^ mixed >>> 28;
        high = avalanche(upper);
    }

    private void hashUpTo16(final byte[] message, final int length)
    {
        final long last = int64(message, length - 8);
        final long first = int64(SECRET, 32) ^ int64(SECRET, 40) ^ int64(message, 0) ^ last;
        final long second = int64(SECRET, 48) ^ int64(SECRET, 56) ^ last;
        final long upper =
            multiplyHigh(first, PRIME64_1) + second + (second & 0xFFFF_FFFFL) * (PRIME32_2 - 1);
        final long lower = first * PRIME64_1 + ((long)(length - 1) << 54) ^ Long.reverseBytes(upper);
        low = avalanche(lower * PRIME64_2);
        high = avalanche(multiplyHigh(lower, PRIME64_2) + upper * PRIME64_2);
    }

    private void hashUpTo128(final byte[] message, final int length)
    {
        low = length * PRIME64_1;
        high = 0;
        for (int pair = length - 1 >> 5; pair >= 0; pair--)
        {
            mixTwo(message, pair * 16, length - pair * 16 - 16, pair * 32);
        }
        finish(low, high, length);
    }

    /**
     * Hashes 80 bytes: two words, then 16 ints from the array. The same as {@link #hash(byte[], int)} of those bytes,
     * without a copy of them.
     */
    void hash(final long head0, final long head1, final int[] ints, final int from)
    {
        final long word0 = int64(ints, from);
        final long word1 = int64(ints, from + 2);
        final long word2 = int64(ints, from + 4);
        final long word3 = int64(ints, from + 6);
        final long word4 = int64(ints, from + 8);
        final long word5 = int64(ints, from + 10);
        final long word6 = int64(ints, from + 12);
        final long word7 = int64(ints, from + 14);
        long a = 80 * PRIME64_1 + mix(word2, word3, 64) ^ word2 + word3;
        long b = mix(word2, word3, 80) ^ word2 + word3;
        a = a + mix(word0, word1, 32) ^ word4 + word5;
        b = b + mix(word4, word5, 48) ^ word0 + word1;
        a = a + mix(head0, head1, 0) ^ word6 + word7;
        b = b + mix(word6, word7, 16) ^ head0 + head1;
        finish(a, b, 80);
    }

    private static long int64(final int[] ints, final int at)
    {
        return Integer.toUnsignedLong(ints[at]) | (long)ints[at + 1] << 32;
    }

    private void hashUpTo240(final byte[] message, final int length)
    {
        low = length * PRIME64_1;
        high = 0;
        for (int at = 0; at < 128; at += 32)
        {
            mixTwo(message, at, at + 16, at);
        }
        low = avalanche(low);
        high = avalanche(high);
        for (int at = 128; at + 32 <= length; at += 32)
        {
            mixTwo(message, at, at + 16, at - 128 + 3);
        }
        mixTwo(message, length - 16, length - 32, 103);
        finish(low, high, length);
    }

    private void mixTwo(final byte[] message, final int first, final int second, final int secret)
    {
        low = low + mix(message, first, secret) ^ sum(message, second);
        high = high + mix(message, second, secret + 16) ^ sum(message, first);
    }

    private void finish(final long a, final long b, final long length)
    {
        low = avalanche(a + b);
        high = -avalanche(a * PRIME64_1 + b * PRIME64_4 + length * PRIME64_2);
    }

    /**
     * Eight sums, each in a separate variable: with the serial or the parallel collector, C2 of Java 17 miscompiled the
     * loop over an array of them in most processes. A hash must not depend on how it was compiled.
     */
    private void hashLong(final byte[] message, final int length)
    {
        long lane0 = PRIME32_3;
        long lane1 = PRIME64_1;
        long lane2 = PRIME64_2;
        long lane3 = PRIME64_3;
        long lane4 = PRIME64_4;
        long lane5 = PRIME32_2;
        long lane6 = PRIME64_5;
        long lane7 = PRIME32_1;
        final int stripes = (length - 1) / STRIPE_BYTES;
        for (int stripe = 0; stripe <= stripes; stripe++)
        {
            final int at = stripe < stripes ? stripe * STRIPE_BYTES : length - STRIPE_BYTES;
            final int secret = stripe < stripes ? stripe * Long.BYTES : LAST_STRIPE_SECRET;
            lane0 += added(message, at, 0, secret);
            lane1 += added(message, at, 8, secret);
            lane2 += added(message, at, 16, secret);
            lane3 += added(message, at, 24, secret);
            lane4 += added(message, at, 32, secret);
            lane5 += added(message, at, 40, secret);
            lane6 += added(message, at, 48, secret);
            lane7 += added(message, at, 56, secret);
        }
        low = avalanche(length * PRIME64_1 + mix(lane0, lane1, 11) + mix(lane2, lane3, 27) +
            mix(lane4, lane5, 43) + mix(lane6, lane7, 59));
        high = avalanche(~(length * PRIME64_2) + mix(lane0, lane1, 117) + mix(lane2, lane3, 133) +
            mix(lane4, lane5, 149) + mix(lane6, lane7, 165));
    }

    /** A lane gets the product of its keyed word's halves, and its neighbour's word. */
    private static long added(final byte[] message, final int from, final int at, final int secret)
    {
        final long keyed = int64(message, from + at) ^ int64(SECRET, secret + at);
        return int64(message, from + (at ^ 8)) + (keyed & 0xFFFF_FFFFL) * (keyed >>> 32);
    }

    private static long sum(final byte[] message, final int at)
    {
        return int64(message, at) + int64(message, at + 8);
    }

    private static long mix(final byte[] message, final int at, final int secret)
    {
        return mix(int64(message, at), int64(message, at + 8), secret);
    }

    private static long mix(final long word0, final long word1, final int secret)
    {
        final long a = word0 ^ int64(SECRET, secret);
        final long b = word1 ^ int64(SECRET, secret + 8);
        return a * b ^ multiplyHigh(a, b);
    }

    /** The upper half of the unsigned product. Java has it from 18 on; this runs on 17. */
    private static long multiplyHigh(final long a, final long b)
    {
        return Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
    }

    private static long avalanche(final long value)
    {
        final long mixed = (value ^ value >>> 37) * PRIME_MX1;
        return mixed ^ mixed >>> 32;
    }

    private static long avalancheOfXxh64(final long value)
    {
        final long first = (value ^ value >>> 33) * PRIME64_2;
        final long second = (first ^ first >>> 29) * PRIME64_3;
        return second ^ second >>> 32;
    }

    private static int int32(final byte[] bytes, final int at)
    {
        return (int)INT32.get(bytes, at);
    }

    private static long int64(final byte[] bytes, final int at)
    {
        return (long)INT64.get(bytes, at);
    }
}
