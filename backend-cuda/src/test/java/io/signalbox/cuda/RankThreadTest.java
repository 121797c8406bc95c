// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.CudaBackendConfig.RankWaiting;
import io.signalbox.cuda.driver.DrivenWaits;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.signalbox.cuda.EngineRun.SHAPE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How the thread of a rank waits, with and without a step in flight. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RankThreadTest
{
    private static final int LOOKS = 20_000;

    @BeforeEach
    void emulate()
    {
        EmulatedDriver.assumeAvailable();
    }

    @AfterEach
    void reset()
    {
        EmulatedDriver.reset();
    }

    /** A thread that sleeps through a completion notices it late. */
    @Test
    void shouldNotSleepWhileAStepIsInFlight()
    {
        final CudaBackend backend = withStepInFlight(RankWaiting.SPINNING);
        try
        {
            final Thread thread = rankThread();
            for (int look = 0; look < LOOKS; look++)
            {
                assertEquals(Thread.State.RUNNABLE, thread.getState());
            }
            EmulatedDriver.advanceAll();
            awaitSleep(thread);
        }
        finally
        {
            backend.close();
        }
    }

    @Test
    void shouldParkWhereItMayNotSpin()
    {
        final CudaBackend backend = withStepInFlight(RankWaiting.PARKING);
        try
        {
            awaitSleep(rankThread());
            EmulatedDriver.advanceAll();
        }
        finally
        {
            backend.close();
        }
    }

    @Test
    void shouldSpinByItselfOnlyWithACoreForEveryThread()
    {
        final int cores = Runtime.getRuntime().availableProcessors();

        assertFalse(new CudaBackendConfig().spins(cores));
        assertEquals(cores >= 5, new CudaBackendConfig().spins(1));
        assertTrue(new CudaBackendConfig().waiting(RankWaiting.SPINNING).spins(cores));
        assertFalse(new CudaBackendConfig().waiting(RankWaiting.PARKING).spins(1));
    }

    /** On a device whose streams are stopped until the test releases them. */
    private static CudaBackend withStepInFlight(final RankWaiting waiting)
    {
        final CudaBackend backend =
            new CudaBackend(EngineRun.config().waiting(waiting), new DrivenWaits(new JCudaBinding()));
        backend.start(1, SHAPE, new RankReports());
        final Thread thread = rankThread();
        awaitSleep(thread);
        EmulatedDriver.stepped();
        final long records = EmulatedDriver.calls("cuEventRecord");
        backend.submit(StepPlans.plan(0, 1, 2, 70));
        // Computed, copied, opened: the step was given to the device as a whole.
        while (EmulatedDriver.calls("cuEventRecord") < records + 3)
        {
            Thread.onSpinWait();
        }
        // The report of the launch comes after it, on the same thread.
        while (thread.getState() == Thread.State.BLOCKED)
        {
            Thread.onSpinWait();
        }
        return backend;
    }

    private static void awaitSleep(final Thread thread)
    {
        while (thread.getState() != Thread.State.TIMED_WAITING)
        {
            Thread.onSpinWait();
        }
    }

    private static Thread rankThread()
    {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("signalbox-cuda-rank-0")).findFirst().orElseThrow();
    }
}
