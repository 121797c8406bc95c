// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Multiplying by a reciprocal gives what dividing gives. */
class BlockSizeTest
{
    @Property(tries = 5_000)
    void shouldDivideExactly(
        @ForAll @IntRange(min = 1) final int tokens, @ForAll @IntRange final int position)
    {
        check(tokens, position);
    }

    @Property(tries = 5_000)
    void shouldDivideExactlyAroundMultiplesOfUsualSizes(
        @ForAll @IntRange(min = 1, max = 2_048) final int tokens, @ForAll @IntRange final int position)
    {
        final int multiple = position / tokens * tokens;
        check(tokens, multiple);
        check(tokens, Math.max(0, multiple - 1));
        check(tokens, position);
        check(tokens, Integer.MAX_VALUE);
    }

    private static void check(final int tokens, final int position)
    {
        final BlockSize size = new BlockSize(tokens);
        assertEquals(position / tokens, size.blockOf(position), () -> position + " / " + tokens);
        assertEquals(position % tokens, size.offsetOf(position), () -> position + " % " + tokens);
        assertEquals((int)(((long)position + tokens - 1) / tokens), size.blocksFor(position),
            () -> position + " / " + tokens);
    }
}
