// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ExpertPlacementTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 5, 1);
    /** Two layers of five experts. */
    private static final long[] COUNTS = {8, 4, 1, 1, 2, 0, 0, 0, 0, 6};

    private static double of(final int... deviceOf)
    {
        return ExpertPlacement.busiestOverMean(SHAPE, 2, COUNTS, deviceOf);
    }

    @Test
    void shouldPlaceInOrderAndStriped()
    {
        assertArrayEquals(new int[]{0, 0, 0, 1, 1, 0, 0, 0, 1, 1}, ExpertPlacement.inOrder(SHAPE, 2));
        assertArrayEquals(new int[]{0, 1, 0, 1, 0, 0, 1, 0, 1, 0}, ExpertPlacement.striped(SHAPE, 2));
    }

    @Test
    void shouldSumTheBusiestDevicesOfTheLayers()
    {
        assertEquals((13.0 + 6.0) * 2 / 22, of(ExpertPlacement.inOrder(SHAPE, 2)));
        assertEquals((11.0 + 6.0) * 2 / 22, of(ExpertPlacement.striped(SHAPE, 2)));
    }

    @Test
    void shouldBalanceWithAsManyExpertsAsFitOnEachDevice()
    {
        final int[] balanced = ExpertPlacement.balanced(SHAPE, 2, COUNTS);
        assertEquals((9.0 + 6.0) * 2 / 22, of(balanced));
        for (int layer = 0; layer < 2; layer++)
        {
            final int[] ofLayer = Arrays.copyOfRange(balanced, 5 * layer, 5 * layer + 5);
            assertTrue(Arrays.stream(ofLayer).sum() >= 2 && Arrays.stream(ofLayer).sum() <= 3, Arrays.toString(ofLayer));
        }
    }

    @Test
    void shouldBeEvenIfEachDeviceHasOneExpertOfEqualLoad()
    {
        final ModelShape shape = new ModelShape(1, 4, 1);
        assertEquals(1.0, ExpertPlacement.busiestOverMean(
            shape, 4, new long[]{7, 7, 7, 7}, ExpertPlacement.balanced(shape, 4, new long[]{7, 7, 7, 7})));
        assertTrue(Double.isNaN(ExpertPlacement.busiestOverMean(shape, 4, new long[4], ExpertPlacement.striped(shape, 4))));
    }
}
