// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SplitMix64Test
{
    private static final int DRAWS = 200_000;

    @Test
    void shouldGiveThePublishedStream()
    {
        final SplitMix64 random = new SplitMix64(0);
        assertEquals(0xE220A8397B1DCDAFL, random.nextLong());
        assertEquals(0x6E789E6AA1B965F4L, random.nextLong());
        assertEquals(0x06C45D188009454FL, random.nextLong());
    }

    @Test
    void shouldAgreeWithTheGeneratorOfTheJdk()
    {
        final SplitMix64 random = new SplitMix64(-42);
        final SplittableRandom reference = new SplittableRandom(-42);
        for (int i = 0; i < 1000; i++)
        {
            assertEquals(reference.nextLong(), random.nextLong());
        }
    }

    @Test
    void shouldDrawExponentialsWithMeanOne()
    {
        final SplitMix64 random = new SplitMix64(1);
        double sum = 0.0;
        for (int i = 0; i < DRAWS; i++)
        {
            final double value = random.nextExponential();
            assertTrue(value >= 0.0);
            sum += value;
        }
        assertEquals(1.0, sum / DRAWS, 0.02);
    }

    @Test
    void shouldDrawNormalsWithMeanZeroAndVarianceOne()
    {
        final SplitMix64 random = new SplitMix64(2);
        double sum = 0.0;
        double squares = 0.0;
        for (int i = 0; i < DRAWS; i++)
        {
            final double value = random.nextGaussian();
            sum += value;
            squares += value * value;
        }
        assertEquals(0.0, sum / DRAWS, 0.02);
        assertEquals(1.0, squares / DRAWS, 0.03);
    }

    @Test
    void shouldDrawGammasWithMeanAndVarianceOfTheirShape()
    {
        for (final double shape : new double[] {0.1, 0.7, 1.0, 9.0})
        {
            final SplitMix64 random = new SplitMix64(3);
            double sum = 0.0;
            double squares = 0.0;
            for (int i = 0; i < DRAWS; i++)
            {
                final double value = random.nextGamma(shape);
                sum += value;
                squares += value * value;
            }
            final double mean = sum / DRAWS;
            assertEquals(shape, mean, 0.03 * shape + 0.01);
            assertEquals(shape, squares / DRAWS - mean * mean, 0.1 * shape);
        }
    }

    @Test
    void shouldDrawEveryIndexByItsWeight()
    {
        final SplitMix64 random = new SplitMix64(4);
        final int[] counts = new int[3];
        for (int i = 0; i < DRAWS; i++)
        {
            counts[random.nextWeighted(new double[] {0.5, 0.5, 2.0})]++;
        }
        assertEquals(0.25, (double)counts[0] / DRAWS, 0.01);
        assertEquals(0, counts[1]);
        assertEquals(0.75, (double)counts[2] / DRAWS, 0.01);
    }
}
