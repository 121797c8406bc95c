// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.RandomDistribution;

import java.util.List;
import java.util.Random;

/**
 * The choices of one action: the digits of a number, the lowest first, each in the base of its bound; 0 behind the last one.
 * jqwik shrinks a list of numbers to few small ones, which are few actions with simple choices.
 */
public final class Digits extends Random
{
    private static final long serialVersionUID = 1;

    private long rest;

    public Digits(final long number)
    {
        rest = number;
    }

    /** Numbers, all alike: jqwik prefers small ones, whose digits are mostly 0. */
    public static Arbitrary<Long> numbers()
    {
        return Arbitraries.longs().between(0, Long.MAX_VALUE).withDistribution(RandomDistribution.uniform())
            .withoutEdgeCases();
    }

    /** Lists of numbers, all lengths alike. */
    public static Arbitrary<List<Long>> lists(final int most)
    {
        return numbers().list().ofMaxSize(most).withSizeDistribution(RandomDistribution.uniform()).withoutEdgeCases();
    }

    /** As many numbers as a run without jqwik plays. */
    public static List<Long> list(final long seed, final int count)
    {
        return new Random(seed).longs(count, 0, Long.MAX_VALUE).boxed().toList();
    }

    @Override
    public int nextInt(final int bound)
    {
        final int digit = (int)(rest % bound);
        rest /= bound;
        return digit;
    }

    @Override
    public boolean nextBoolean()
    {
        return nextInt(2) == 1;
    }

    @Override
    protected int next(final int bits)
    {
        throw new UnsupportedOperationException("give a bound");
    }
}
