// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.BitSet;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Against a set of the JDK. */
class ReadyRanksTest
{
    @ParameterizedTest
    @ValueSource(ints = {1, 8, 63, 64, 65, 128, 1024})
    void shouldFindTheNextOne(final int ranks)
    {
        final Random random = new Random(ranks);
        final ReadyRanks set = new ReadyRanks(ranks);
        final BitSet other = new BitSet();
        for (int change = 0; change < 500; change++)
        {
            final int rank = random.nextInt(ranks);
            final boolean isIn = random.nextInt(4) == 0;
            set.set(rank, isIn);
            other.set(rank, isIn);
            for (int from = 0; from <= ranks; from += 1 + random.nextInt(1 + ranks / 8))
            {
                final int next = other.nextSetBit(from);
                assertEquals(next < 0 ? ranks : next, set.next(from));
            }
        }
    }
}
