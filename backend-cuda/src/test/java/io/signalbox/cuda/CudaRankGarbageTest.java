// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import com.sun.management.ThreadMXBean;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.event.StepWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A rank leaves nothing for the garbage collector. */
class CudaRankGarbageTest
{
    /** Less than the smallest object. */
    private static final int BYTES_PER_STEP = 8;
    private static final int WARM_UP_STEPS = 3_000;
    private static final int MEASURED_STEPS = 2_000;
    private static final long[] REQUESTS = {70, 71};

    private long steps;

    @BeforeEach
    void emulate()
    {
        EmulatedDriver.assumeAvailable();
        new JCudaBinding().initialise();
    }

    @AfterEach
    void reset()
    {
        EmulatedDriver.reset();
    }

    /** From the plan to the report. */
    @Test
    void shouldAllocateNothingPerStep()
    {
        final Counting sink = new Counting();
        try (RankSet ranks = new RankSet(
            new JCudaBinding(), EngineRun.config().clock(() -> 0), 1, CaptureForm.FUSED, EngineRun.SHAPE, sink))
        {
            final StepWriter writer = new StepWriter();
            run(ranks.get(0), writer, WARM_UP_STEPS);
            final long before = allocatedBytes();
            run(ranks.get(0), writer, MEASURED_STEPS);
            final long allocated = allocatedBytes() - before;
            assertEquals(WARM_UP_STEPS + MEASURED_STEPS, sink.completed);
            assertTrue(allocated < BYTES_PER_STEP * MEASURED_STEPS, allocated + " bytes in " + MEASURED_STEPS + " steps");
        }
    }

    /** The same plan under the next number each time. */
    private void run(final CudaRank rank, final StepWriter writer, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            rank.submit(StepPlans.plan(writer, 0, ++steps, 2, REQUESTS), StepPlans.WEIGHTS);
            rank.doWork();
            rank.doWork();
        }
    }

    private static long allocatedBytes()
    {
        return ((ThreadMXBean)ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** Counts completions and refuses faults. */
    private static final class Counting implements CompletionSink
    {
        private int completed;

        @Override
        public void forward(
            final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
        {
        }

        @Override
        public void d2hComplete(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepTokens tokens,
            final CaptureSlice rows)
        {
            completed++;
            rows.release();
        }

        @Override
        public void fault(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepFault faultClass,
            final String detail)
        {
            throw new AssertionError(detail);
        }
    }
}
