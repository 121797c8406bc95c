// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.StateDigest;

/**
 * The SplitMix64 generator (Steele, Lea, Flood 2014) with the distributions that workloads need. Its stream is fixed
 * for all time: no JDK generator, and only {@link StrictMath}, whose results are the same on every JVM.
 */
public final class SplitMix64
{
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
    private static final double DOUBLE_UNIT = 0x1.0p-53;

    private long state;

    public SplitMix64(final long seed)
    {
        state = seed;
    }

    /** A bijection in which every input bit changes about half of the output bits. */
    public static long mix(final long value)
    {
        return StateDigest.finalise(value);
    }

    /** Mixes two values into one; the order matters. */
    public static long mix(final long first, final long second)
    {
        return mix(mix(first + GOLDEN_GAMMA) + second);
    }

    public long nextLong()
    {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** Uniform in [0, 1). */
    public double nextDouble()
    {
        return (nextLong() >>> 11) * DOUBLE_UNIT;
    }

    /** Uniform in [0, bound). The bias is below 2^-32 of each value's share. */
    public int nextInt(final int bound)
    {
        return (int)(((nextLong() >>> 32) * bound) >>> 32);
    }

    /** Exponential with mean 1. */
    public double nextExponential()
    {
        return -StrictMath.log(1.0 - nextDouble());
    }

    /** Standard normal, by the polar method; the second value of a pair is dropped to keep the state in one word. */
    public double nextGaussian()
    {
        double x;
        double square;
        do
        {
            x = 2.0 * nextDouble() - 1.0;
            final double y = 2.0 * nextDouble() - 1.0;
            square = x * x + y * y;
        }
        while (square >= 1.0 || square == 0.0);
        return x * StrictMath.sqrt(-2.0 * StrictMath.log(square) / square);
    }

    /** Gamma with the given shape and mean {@code shape} (Marsaglia and Tsang 2000). */
    public double nextGamma(final double shape)
    {
        if (shape < 1.0)
        {
            return nextGamma(shape + 1.0) * StrictMath.pow(1.0 - nextDouble(), 1.0 / shape);
        }
        final double d = shape - 1.0 / 3.0;
        final double c = 1.0 / StrictMath.sqrt(9.0 * d);
        while (true)
        {
            final double x = nextGaussian();
            final double root = 1.0 + c * x;
            if (root > 0.0)
            {
                final double v = root * root * root;
                final double u = 1.0 - nextDouble();
                if (StrictMath.log(u) < 0.5 * x * x + d - d * v + d * StrictMath.log(v))
                {
                    return d * v;
                }
            }
        }
    }

    /** An index, drawn with the weights whose running sums are given: rising, the first above 0. */
    public int nextWeighted(final double[] cumulativeWeights)
    {
        final double target = nextDouble() * cumulativeWeights[cumulativeWeights.length - 1];
        int low = 0;
        int high = cumulativeWeights.length - 1;
        while (low < high)
        {
            final int middle = (low + high) >>> 1;
            if (cumulativeWeights[middle] > target)
            {
                high = middle;
            }
            else
            {
                low = middle + 1;
            }
        }
        return low;
    }
}
