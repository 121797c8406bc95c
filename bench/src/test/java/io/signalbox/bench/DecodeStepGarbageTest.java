// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.management.ManagementFactory;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** A decode step makes no garbage: commit, plan, and the check of its rows. */
class DecodeStepGarbageTest
{
    private static final int REQUESTS = 32;
    private static final int WINDOWS = 12;
    private static final int STEPS = 1000;

    @ParameterizedTest
    @CsvSource({"1, 0, 0", "2, 0, 0", "2, 3, 0", "1, 0, 4", "2, 0, 4", "2, 3, 4"})
    void shouldAllocateNothing(final int depth, final int drafts, final int moeLayers)
    {
        final DecodeStepBenchmark steps = DecodeStepBenchmark.timed(REQUESTS, depth, drafts, moeLayers);
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long thread = Thread.currentThread().getId();
        long least = Long.MAX_VALUE;
        // The least, because pools grow in some windows, and code is compiled in the first ones.
        for (int window = 0; window < WINDOWS; window++)
        {
            final long before = threads.getThreadAllocatedBytes(thread);
            for (int step = 0; step < STEPS; step++)
            {
                steps.planAndCommit();
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
        }
        // Less than the smallest object per step; to read the counter takes a little itself.
        assertTrue(least < STEPS, least + " bytes in " + STEPS + " steps");
    }
}
