// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class EstimateTest
{
    @Test
    void shouldGiveMeanAndIntervalOfSmallSamples()
    {
        // Three degrees of freedom.
        final Estimate estimate = Estimate.of(3.0, 7.0, 3.5, 6.5);
        assertEquals(5.0, estimate.mean(), 1e-12);
        final double deviation = Math.sqrt((4.0 + 4.0 + 2.25 + 2.25) / 3.0);
        assertEquals(3.182446 * deviation / 2.0, estimate.halfWidth(), 1e-9);
        assertEquals(0.0, Estimate.of(4.0, 4.0).halfWidth());
    }

    @Test
    void shouldHaveNoIntervalForOneValueAndNoMeanWhereNothingWasMeasured()
    {
        assertEquals(2.5, Estimate.of(2.5).mean());
        assertTrue(Double.isNaN(Estimate.of(2.5).halfWidth()));
        assertTrue(Double.isNaN(Estimate.of(1.0, Double.NaN).mean()));
    }
}
