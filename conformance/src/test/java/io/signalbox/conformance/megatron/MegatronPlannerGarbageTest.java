// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import com.sun.management.ThreadMXBean;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockConfig;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MegatronPlannerGarbageTest
{
    private static final int ROWS = 32;
    private static final int DRAFTS = 1;

    private final PagingConfig config = new PagingConfig(
        KvBlockConfig.of(1024).withPrefixCaching(EvictionPolicy.LRU), 16, ROWS, 1024, DRAFTS, true);
    private final MegatronPlanner planner = new MegatronPlanner(
        config, (id, tokens, count, hashes) -> 0, null);
    private final int[] prompt = new int[40];
    private final long[] hashes = new long[2];
    private final int[] accepted = new int[ROWS];
    private final int[] sampled = new int[ROWS];
    private final int[] drafts = new int[ROWS * DRAFTS];
    private long nextId;
    private int ended;

    /** Prefill with matches, pauses, resumes, evictions from the cache, rewinds and ends: all of them, over and over. */
    @Test
    void shouldAllocateNothingOnTheSteadyPath()
    {
        for (int i = 0; i < ROWS; i++)
        {
            submit();
        }
        steps(3000);
        final long[] windows = new long[21];
        for (int window = 0; window < windows.length; window++)
        {
            windows[window] = bytesOfAHundredSteps();
        }
        assertTrue(ended > 1000, ended + " requests ended");
        Arrays.sort(windows);
        // The median: the machine itself may allocate in one window or another.
        assertEquals(0, windows[windows.length / 2], "bytes in windows of a hundred steps: " + Arrays.toString(windows));
    }

    private long bytesOfAHundredSteps()
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long start = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        steps(100);
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - start;
    }

    private void steps(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            planner.schedule();
            Arrays.fill(accepted, i % (DRAFTS + 1));
            planner.verify(accepted);
            planner.update(sampled, drafts);
            for (int j = 0; j < planner.finishedCount(); j++)
            {
                planner.recycle(planner.finished(j));
                ended++;
            }
            while (planner.waitingCount() + planner.rows().totalRequests() < ROWS)
            {
                submit();
            }
        }
    }

    /** One first block for all, and another second one for each. */
    private void submit()
    {
        hashes[0] = 7;
        hashes[1] = 1000 + nextId;
        planner.submit(nextId, prompt, prompt.length, hashes, 20 + (int)(nextId % 30), PagedRequest.NO_STOP_TOKEN);
        nextId++;
    }
}
