// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Seeded runs over depth, drafts, acceptance, faults and lock-step, many of them with {@code -Pfull}. */
class DepthRunsTest
{
    private static final int RUNS = 500;

    /** {@code -Dsignalbox.depth.seed=N} plays one run. */
    @Test
    void shouldGiveEveryRequestItsTokensAndRowsInEveryRun()
    {
        final String only = System.getProperty("signalbox.depth.seed");
        final DepthCounts counts = new DepthCounts();
        if (only != null)
        {
            assertNull(DepthRuns.failure(Long.parseLong(only), counts));
            return;
        }
        final int runs = TestStrength.count(RUNS, 128_000);
        for (int seed = 0; seed < runs; seed++)
        {
            assertNull(DepthRuns.failure(seed, counts));
        }
        assertEquals(List.of(), counts.rare(runs), () -> "too rare: " + counts);
    }
}
