// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.charset.StandardCharsets;

/** Bits from a key and a counter: the steps of SplitMix64, each without those before it. */
final class CounterBits
{
    /** {@link #odd} times this is between -1 and 1. */
    static final float UNIT = 1.0f / (1 << 24);
    private static final int HALF = 1 << 24;
    private static final int ODD_SHIFT = 40;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 0x100000001B3L;

    private CounterBits()
    {
    }

    /** The key with which index 0 has the bits that index {@code first} has with {@link #key(long, String)}. */
    static long key(final long seed, final String name, final long first)
    {
        return key(seed, name) + first * GOLDEN;
    }

    static long key(final long seed, final String name)
    {
        long hash = FNV_OFFSET;
        for (final byte each : name.getBytes(StandardCharsets.UTF_8))
        {
            hash = (hash ^ each & 0xff) * FNV_PRIME;
        }
        return mix(seed ^ hash);
    }

    /** An odd number between -2^24 and 2^24: exact as a float. */
    static int odd(final long key, final long index)
    {
        return 2 * (int)(mix(key + (index + 1) * GOLDEN) >>> ODD_SHIFT) + 1 - HALF;
    }

    private static long mix(final long value)
    {
        final long first = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        final long second = (first ^ first >>> 27) * 0x94D049BB133111EBL;
        return second ^ second >>> 31;
    }
}
