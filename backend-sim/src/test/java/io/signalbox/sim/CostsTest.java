// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CostsTest
{
    @Test
    void shouldAddUpTheFourTermsOfAStep()
    {
        final StepCost cost = new StepCost(1000, 10, 100, 2500);
        assertEquals(1000, cost.nanos(0, 0, 0));
        assertEquals(1000 + 70 + 200 + 7, cost.nanos(7, 2, 3));
        // Picoseconds are cut off once per step, not once per token.
        assertEquals(1002, cost.nanos(0, 0, 1));
        assertEquals(1005, cost.nanos(0, 0, 2));
    }

    @Test
    void shouldReproduceTheFitItsDefaultComesFrom()
    {
        // TPOT = 11.81 + 0.122 B + 0.110 B C ms with B = 64 rows of C = 1.5 thousand tokens.
        final double fitMillis = 11.81 + 0.122 * 64 + 0.110 * 64 * 1.5;
        assertEquals(fitMillis, StepCost.DEFAULT.nanos(0, 64, 64 * 1500) / 1e6, 1e-6);
    }

    @Test
    void shouldRefuseACostThatIsNoTime()
    {
        assertThrows(ConfigException.class, () -> new StepCost(0, 1, 1, 1));
        assertThrows(ConfigException.class, () -> new StepCost(1, -1, 1, 1));
        assertThrows(ConfigException.class, () -> new StepCost(1, 1, 1, Long.MAX_VALUE));
        assertThrows(ArithmeticException.class,
            () -> new StepCost(1, 1_000_000_000_000L, 0, 0).nanos(Long.MAX_VALUE / 1000, 0, 0));
    }

    @Test
    void shouldDelayByRowsAndBoundedJitter()
    {
        final D2hDelay delay = new D2hDelay(100, 1500, 50);
        for (int step = 0; step < 1000; step++)
        {
            final long nanos = delay.nanos(3, 1, step, 4);
            assertTrue(nanos >= 106 && nanos < 156, "delay: " + nanos);
            assertEquals(nanos, delay.nanos(3, 1, step, 4));
        }
        assertEquals(100, new D2hDelay(100, 0, 0).nanos(3, 1, 2, 4));
        assertThrows(ConfigException.class, () -> new D2hDelay(-1, 0, 0));
    }

    @Test
    void shouldNameEverySettingInOrder()
    {
        final List<String> names = List.copyOf(SimulationConfig.DEFAULT.withSeed(4).settings().keySet());
        assertEquals(names.stream().sorted().toList(), names);
        assertEquals(11, names.size());
        assertEquals("11810000", SimulationConfig.DEFAULT.settings().get("sim.stepCost.baseNanos"));
        assertThrows(ConfigException.class, () -> SimulationConfig.DEFAULT.withExpertSkew(-0.1));
    }
}
