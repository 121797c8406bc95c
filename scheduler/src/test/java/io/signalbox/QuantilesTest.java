// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class QuantilesTest
{
    @ParameterizedTest
    @CsvSource({"1, 12.7062", "2, 4.3027", "4, 2.7764", "9, 2.2622", "30, 2.0423", "31, 2.0395", "40, 2.0211", "60, 2.0003",
        "120, 1.9799", "100000, 1.9600"})
    void shouldGiveStudentsQuantileOfTheTables(final int degrees, final double quantile)
    {
        assertEquals(quantile, Quantiles.student975(degrees), 0.00005);
    }

    @Test
    void shouldTakeQuantilesFromTheSampleItself()
    {
        final double[] sample = {40, 10, 30, 20};

        assertEquals(10.0, Quantiles.of(sample, 0));
        assertEquals(10.0, Quantiles.of(sample, 1));
        assertEquals(20.0, Quantiles.of(sample, 50));
        assertEquals(40.0, Quantiles.of(sample, 99));
        assertEquals(40.0, Quantiles.of(sample, 100));
        assertArrayEquals(new double[] {40, 10, 30, 20}, sample, "the sample stays as it is");
    }

    /** In floating point, 7 % of 100 is more than 7, and the wrong value would be taken. */
    @Property(tries = 500)
    void shouldBeTheSmallestValueThatHasSoManyPercentAtOrBelowIt(
        @ForAll @Size(min = 1, max = 300) final double[] sample, @ForAll @IntRange(min = 0, max = 100) final int percent)
    {
        final double quantile = Quantiles.of(sample, percent);

        final long atMost = Arrays.stream(sample).filter(value -> Double.compare(value, quantile) <= 0).count();
        final long below = Arrays.stream(sample).filter(value -> Double.compare(value, quantile) < 0).count();
        assertTrue(100 * atMost >= (long)percent * sample.length, quantile + " is too small");
        assertTrue(100 * below < (long)percent * sample.length || below == 0, quantile + " is too large");
    }

    @Test
    void shouldCountInWholeNumbers()
    {
        assertEquals(6, Quantiles.index(100, 7));
        assertEquals(Integer.MAX_VALUE - 1, Quantiles.index(Integer.MAX_VALUE, 100));
    }
}
