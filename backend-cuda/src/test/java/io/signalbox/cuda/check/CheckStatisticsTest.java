// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CheckStatisticsTest
{
    private static final double EXACT = 1e-12;

    /** Noise of 2.5 %, as an H200 showed it in steps of 1.44 ms, leaves nothing to judge by. */
    @Test
    void shouldNotCallNoiseWithinABoundThatItPasses()
    {
        assertTrue(new PairedInterval(0.0003, 0.00027, 0.00033).isWithin(0.15));
        assertFalse(new PairedInterval(0.0246, 0.0191, 0.0301).isWithin(0.15));
        assertFalse(new PairedInterval(0.0, -0.0016, 0.0).isWithin(0.15));
        assertFalse(new PairedInterval(Double.NaN, Double.NaN, Double.NaN).isWithin(0.15));
    }

    /** Caches make reading shorter, so that more must be read. */
    @Test
    void shouldCorrectTheMemoryThatALayerReadsByWhatItTook()
    {
        assertEquals(150_000, StepLength.corrected(100_000, 1.2e-3, 0.8e-3));
        assertEquals(100_000, StepLength.corrected(100_000, 13.2e-3, 13.2e-3));
        assertEquals(80_000, StepLength.corrected(100_000, 1.2e-3, 1.5e-3));
    }

    /** One interruption of a measurement must not make steps of another kind. */
    @Test
    void shouldBelieveNoCorrectionByMoreThanTwo()
    {
        assertEquals(200_000, StepLength.corrected(100_000, 1.2e-3, 0.1e-3));
        assertEquals(200_000, StepLength.corrected(100_000, 1.2e-3, -0.1e-3));
        assertEquals(50_000, StepLength.corrected(100_000, 1.2e-3, 90e-3));
    }

    /** Differences 1, 2, 3, 4, 5: mean 3, standard error sqrt(2.5 / 5), Student's 2.776445 with 4 degrees of freedom. */
    @Test
    void shouldGiveStudentsIntervalAsShareOfTheBase()
    {
        final PairedInterval interval = PairedInterval.of(
            new double[] {100, 100, 100, 100, 100}, new double[] {101, 102, 103, 104, 105});

        final double half = 2.776445 * Math.sqrt(0.5);
        assertEquals(0.03, interval.mean(), EXACT);
        assertEquals((3.0 - half) / 100.0, interval.lower(), EXACT);
        assertEquals((3.0 + half) / 100.0, interval.upper(), EXACT);
    }

    /** A drift that both kinds of runs share must not widen the interval. */
    @Test
    void shouldNotSeeWhatBothKindsShare()
    {
        final PairedInterval interval = PairedInterval.of(new double[] {10, 20, 30}, new double[] {11, 21, 31});

        assertEquals(0.05, interval.mean(), EXACT);
        assertEquals(interval.mean(), interval.upper(), EXACT);
    }

    /** In 80 pairs of normal differences the interval misses the truth about once in 20; far more would be a fault. */
    @Test
    void shouldCoverTheTruthAsOftenAsItSays()
    {
        final SplittableRandom random = new SplittableRandom(11);
        int covered = 0;
        for (int trial = 0; trial < 2000; trial++)
        {
            final double[] base = new double[80];
            final double[] other = new double[80];
            for (int i = 0; i < base.length; i++)
            {
                base[i] = 1000.0;
                other[i] = 1002.0 + random.doubles(12).sum() - 6.0;
            }
            final PairedInterval interval = PairedInterval.of(base, other);
            covered += interval.lower() <= 0.002 && 0.002 <= interval.upper() ? 1 : 0;
        }
        assertTrue(covered >= 1860 && covered <= 1940, covered + " of 2000 intervals hold the truth");
    }

    @Property(tries = 200)
    void shouldHoldItsMeanBetweenItsBounds(
        @ForAll final long seed, @ForAll @IntRange(min = 2, max = 100) final int pairs,
        @ForAll @DoubleRange(min = 1.0, max = 1e6) final double scale)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final double[] base = random.doubles(pairs, scale, 2.0 * scale).toArray();
        final double[] other = random.doubles(pairs, scale, 2.0 * scale).toArray();
        final PairedInterval interval = PairedInterval.of(base, other);

        assertTrue(interval.lower() <= interval.mean() && interval.mean() <= interval.upper(), interval.toString());
    }
}
