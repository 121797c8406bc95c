// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

/**
 * The mixing functions of state digests and seeded choices. They are specified, so every JVM and other languages agree.
 * A component's digest is the wrapping sum of the mixes of its parts: one change costs one subtraction and one addition,
 * and two changes that cancel out leave the digest as it was.
 */
public final class StateDigest
{
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private StateDigest()
    {
    }

    /** A step of SplitMix64: the finaliser of the value's successor in the sequence. */
    public static long mix(final long value)
    {
        return finalise(value + GOLDEN);
    }

    /** The finaliser of SplitMix64: a bijection in which every input bit changes about half of the output bits. */
    public static long finalise(final long value)
    {
        long z = value;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    public static long mix(final long first, final long second)
    {
        return mix(mix(first) ^ second);
    }

    public static long mix(final long first, final long second, final long third)
    {
        return mix(mix(mix(first) ^ second) ^ third);
    }
}
