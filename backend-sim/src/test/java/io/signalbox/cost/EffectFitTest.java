// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.workload.SplitMix64;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class EffectFitTest
{
    private static final double[] START = {1, 1};
    private static final double[] DEVIATIONS = {1.5, 0.5};

    private static ScaleEffects fit(final double scaleOfB, final double outlier)
    {
        final EffectFit fit = new EffectFit(START, DEVIATIONS, 0.02);
        final SplitMix64 random = new SplitMix64(3);
        for (int i = 0; i < 60; i++)
        {
            final double[] terms = {1 + random.nextDouble(), 8 * random.nextDouble()};
            final boolean isB = i % 2 == 1;
            final double time = 2 * terms[0] + 0.5 * terms[1] * (isB ? scaleOfB : 1);
            fit.add(List.of("0|", isB ? "1|b" : "1|a"), terms, i == 8 ? time * outlier : time);
        }
        return fit.fit();
    }

    @Test
    void shouldFindScalesOfTermsAndOfOneGroup()
    {
        final ScaleEffects effects = fit(1.6, 1);

        final double[] a = effects.scales(List.of("0|", "1|a"), 2);
        final double[] b = effects.scales(List.of("0|", "1|b"), 2);
        assertEquals(2.0, a[0], 0.05);
        assertEquals(0.5, a[1], 0.02);
        assertEquals(0.8, b[1], 0.03);
    }

    @Test
    void shouldNotFollowAnOutlier()
    {
        final double[] a = fit(1, 5).scales(List.of("0|", "1|a"), 2);

        assertEquals(2.0, a[0], 0.1);
        assertEquals(0.5, a[1], 0.04);
    }

    @Test
    void shouldScaleNothingForAGroupThatWasNotMeasured()
    {
        final ScaleEffects effects = fit(1.6, 1);

        final double[] unknown = effects.scales(List.of("0|", "1|c"), 2);
        final double a = effects.scales(List.of("0|", "1|a"), 2)[1];
        final double b = effects.scales(List.of("0|", "1|b"), 2)[1];
        assertTrue(unknown[1] > a && unknown[1] < b, a + " " + unknown[1] + " " + b);
    }
}
