// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.RandomDistribution;

import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Parts of a case, of which jqwik leaves out as many as it can. */
final class Parts implements RandomDistribution
{
    private Parts()
    {
    }

    /** Always all of the parts; they shrink to fewer, in the same order. */
    static <T> Arbitrary<List<T>> of(final List<T> all)
    {
        return Arbitraries.integers().between(0, 1).withDistribution(new Parts()).withoutEdgeCases()
            .list().ofSize(all.size()).withoutEdgeCases()
            .map(kept -> IntStream.range(0, all.size()).filter(i -> kept.get(i) == 1).mapToObj(all::get).toList());
    }

    @Override
    public RandomNumericGenerator createGenerator(
        final int tries, final BigInteger min, final BigInteger max, final BigInteger center)
    {
        return (final Random random) -> max;
    }
}
