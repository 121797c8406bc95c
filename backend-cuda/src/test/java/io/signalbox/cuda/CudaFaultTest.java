// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.engine.FinishReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.stream.IntStream;

import static io.signalbox.cuda.EngineRun.SHAPE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Requests and ranks after CUDA fails. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CudaFaultTest
{
    /** For the class as a whole, since what follows each test asks the driver too. */
    @BeforeAll
    static void assumeEmulatedDriver()
    {
        EmulatedDriver.assumeAvailable();
    }

    @BeforeEach
    void emulate()
    {
        EmulatedDriver.reset();
        EmulatedDriver.threaded(3, 50);
        EmulatedDriver.devices(2);
    }

    /** A broken context frees nothing piece by piece, so that its release is what counts. */
    @AfterEach
    void noContextIsLeft()
    {
        assertEquals(0, EmulatedDriver.count(Count.CONTEXTS));
        EmulatedDriver.reset();
    }

    @Test
    void shouldLoseTheRankOfAFailedLaunchAndServeOnTheOther()
    {
        EmulatedDriver.failLaunch(40, CudaException.LAUNCH_FAILED);

        final EngineRun run = EngineRun.of(
            new CudaBackend(EngineRun.config().devices(List.of(0, 1)).maxGraphTokens(0)), 2, SHAPE);

        run.assertAsTheOracleSays();
    }

    @Test
    void shouldEndEveryRequestWhereAllRanksAreGivenUp()
    {
        EmulatedDriver.failLaunch(40, CudaException.LAUNCH_FAILED);

        final EngineRun run = EngineRun.of(new CudaBackend(EngineRun.config().devices(List.of(0, 1)).maxGraphTokens(0)
            .faultPolicy(FaultPolicy.LOSE_ALL_RANKS)), 2, SHAPE);

        assertTrue(IntStream.range(0, EngineRun.REQUESTS)
            .anyMatch(request -> run.ended(request).reason() == FinishReason.FAILED), "nobody was left to serve them");
    }
}
