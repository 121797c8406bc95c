// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.calibration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HarnessLoadsTest
{
    private static final HarnessLoads HARNESS = new HarnessLoads();

    /** Choices within groups put half of all assignments on the first four experts. */
    @ParameterizedTest
    @CsvSource({"2, 2", "4, 2.94", "8, 4.88", "16, 8.75", "32, 16.5", "64, 33"})
    void shouldOverloadTheFirstGroupOfDeepSeek(final int groups, final double overload)
    {
        final HarnessLoads.Loads loads = HARNESS.of(true, 4096, 256, 8, groups, "balanced");

        assertEquals(overload, loads.assignments() * groups / (4096 * 8), 0.05 * overload);
    }

    @Test
    void shouldBalanceOtherModels()
    {
        assertEquals(new HarnessLoads.Loads(16, 4096, 256), HARNESS.of(false, 4096, 128, 8, 8, "balanced"));
        assertEquals(new HarnessLoads.Loads(8, 8, 1), HARNESS.of(false, 1, 128, 8, 1, "balanced"));
    }

    @Test
    void shouldKeepTheSumOfSkewedLoadsAndMeasureTheBusiestGroup()
    {
        final HarnessLoads.Loads all = HARNESS.of(false, 1024, 128, 8, 1, "power_law_1.2");
        final HarnessLoads.Loads busiest = HARNESS.of(false, 1024, 128, 8, 8, "power_law_1.2");

        assertEquals(1024 * 8, all.assignments(), 1e-6);
        assertTrue(busiest.assignments() > 1.5 * 1024, busiest + " against a mean of 1024");
        assertTrue(busiest.hottest() <= 1024);
    }
}
