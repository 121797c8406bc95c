// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class AttentionSoftmaxTest
{
    private static float[] scores(final SplittableRandom random, final int count)
    {
        final float[] scores = new float[count];
        for (int i = 0; i < count; i++)
        {
            scores[i] = (float)random.nextDouble(-9.0, 9.0);
        }
        return scores;
    }

    /** A kernel may mask positions outside a window, or leave them out. */
    @Property(tries = 300)
    void shouldHaveTheBitsOfMaskedPositionsInAWindow(
        @ForAll final long seed, @ForAll @IntRange(min = 1, max = 600) final int end,
        @ForAll @IntRange(min = 1, max = 200) final int window, @ForAll final Precision precision)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final AttentionSoftmax softmax = new AttentionSoftmax(precision, new float[LaneSum.LANES]);
        final int first = Math.max(0, end - window);
        final float sink = (float)random.nextDouble(-9.0, 9.0);
        for (final boolean hasSink : new boolean[] {false, true})
        {
            final float[] seen = scores(random, end);
            precision.round(seen, 0, end);
            final float[] masked = seen.clone();
            Arrays.fill(masked, 0, first, Float.NEGATIVE_INFINITY);
            if (hasSink)
            {
                softmax.apply(seen, first, end, precision.round(sink));
                softmax.apply(masked, 0, end, precision.round(sink));
            }
            else
            {
                softmax.apply(seen, first, end);
                softmax.apply(masked, 0, end);
            }
            assertArrayEquals(new float[first], Arrays.copyOf(masked, first));
            assertArrayEquals(Arrays.copyOfRange(masked, first, end), Arrays.copyOfRange(seen, first, end));
        }
    }

    @Test
    void shouldTakeTheShareOfASinkFromThePositions()
    {
        final AttentionSoftmax softmax = new AttentionSoftmax(Precision.F32, new float[LaneSum.LANES]);
        final float[] alone = {1.0f, 1.0f, 1.0f};
        softmax.apply(alone, 0, 3, 1.0f);
        assertArrayEquals(new float[] {0.25f, 0.25f, 0.25f}, alone);

        final float[] drowned = {1.0f, 1.0f, 1.0f};
        softmax.apply(drowned, 1, 3, 200.0f);
        assertArrayEquals(new float[] {0.0f, 0.0f}, Arrays.copyOfRange(drowned, 1, 3));

        final float[] absent = {1.0f, 1.0f, 1.0f};
        softmax.apply(absent, 1, 3, -200.0f);
        assertEquals(0.5f, absent[1]);
    }
}
