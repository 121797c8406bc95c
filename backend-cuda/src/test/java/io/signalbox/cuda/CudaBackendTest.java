// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.ThreadedDriver;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.cuda.kernel.KernelSet;
import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static io.signalbox.cuda.EngineRun.SHAPE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The whole way: client, rings, scheduler, rank threads, kernels on the emulated driver, and back. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(ThreadedDriver.class)
class CudaBackendTest
{
    @ParameterizedTest
    @EnumSource(CaptureForm.class)
    void shouldGiveEveryRequestTheTokensAndExpertsOfTheOracle(final CaptureForm form)
    {
        final CudaBackend backend = new CudaBackend(EngineRun.config().captureForm(form));

        EngineRun.of(backend, 2, SHAPE).assertAsTheOracleSays();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldRunAsManyStepsAheadAsItsRingHolds(final int steps)
    {
        final CudaBackend backend = new CudaBackend(EngineRun.config().stepsInFlight(steps));

        assertEquals(steps, backend.capabilities().depth());
        EngineRun.of(backend, 2, SHAPE).assertAsTheOracleSays();
    }

    @Test
    void shouldCaptureBesideKernelsThatShowNothing()
    {
        final CudaBackend backend = new CudaBackend(EngineRun.config().kernels(KernelSet.OPAQUE));

        EngineRun.of(backend, 2, SHAPE).assertAsTheOracleSays();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, 64})
    void shouldGiveTheSameByGraphsAndKernelByKernel(final int maxGraphTokens)
    {
        final CudaBackend backend = new CudaBackend(EngineRun.config().maxGraphTokens(maxGraphTokens));

        EngineRun.of(backend, 1, SHAPE).assertAsTheOracleSays();

        assertEquals(maxGraphTokens > 0, EmulatedDriver.calls("cuGraphLaunch") > 0);
    }

    @Test
    void shouldRefuseFastKernelsWithoutAModel()
    {
        final CudaBackend backend = new CudaBackend(EngineRun.config().kernelFamily(KernelFamily.FAST));

        final String message =
            assertThrows(ConfigException.class, () -> backend.start(1, SHAPE, new RankReports())).getMessage();

        assertTrue(message.contains("kernelFamily") && message.contains("no model"), message);
    }

    @Test
    void shouldReportWithoutStreamWritesToo()
    {
        EmulatedDriver.offerStreamWrites(false);

        EngineRun.of(new CudaBackend(EngineRun.config()), 2, SHAPE).assertAsTheOracleSays();
    }

    @Test
    void shouldLaunchAndCopyNothingForCaptureThatIsOff()
    {
        EngineRun.of(new CudaBackend(EngineRun.config().maxGraphTokens(0)), 1, null).assertAsTheOracleSays();
        final long launches = EmulatedDriver.calls("cuLaunchKernel");
        final long bytes = EmulatedDriver.count(Count.BYTES_TO_HOST);
        EmulatedDriver.reset();
        EmulatedDriver.threaded(3, 50);
        EngineRun.of(new CudaBackend(EngineRun.config().maxGraphTokens(0)), 1, SHAPE).assertAsTheOracleSays();

        assertTrue(launches > 0 && EmulatedDriver.calls("cuLaunchKernel") > 0, "kernels were launched one by one");
        assertTrue(bytes < EmulatedDriver.count(Count.BYTES_TO_HOST), "rows cost bytes");
    }

    @Test
    void shouldRefuseAShapeThatIsNotItsModels()
    {
        final CudaBackend backend = new CudaBackend(EngineRun.config());

        final ConfigException refusal =
            assertThrows(ConfigException.class, () -> backend.start(1, new ModelShape(3, 64, 4), null));

        assertTrue(refusal.getMessage().contains("topK=4 of experts=64"), refusal.getMessage());
    }

    @Test
    void shouldRefuseADeviceThatIsNotThere()
    {
        final CudaBackend backend = new CudaBackend(EngineRun.config().devices(List.of(0, 3)));

        final ConfigException refusal = assertThrows(ConfigException.class, () -> backend.start(1, SHAPE, null));

        assertTrue(refusal.getMessage().contains("device 3"), refusal.getMessage());
    }

    /** D14: a kernel set of which nobody said that it can serve capture is not asked to. */
    @Test
    void shouldRefuseCaptureFromKernelsThatDeclareNothing()
    {
        final CudaBackend backend = new CudaBackend(EngineRun.config().kernels(KernelSet.named("monolithic")));

        final ConfigException refusal = assertThrows(ConfigException.class, () -> backend.start(1, SHAPE, null));

        assertTrue(refusal.getMessage().contains("'monolithic'"), refusal.getMessage());
    }

    @Test
    void shouldLeaveNothingAllocatedWhereMemoryRunsOut()
    {
        EmulatedDriver.memoryBytes(400_000);
        final CudaBackend backend = new CudaBackend(EngineRun.config().maxStepTokens(2048));

        final ConfigException refusal = assertThrows(ConfigException.class, () -> backend.start(8, SHAPE, null));

        assertTrue(refusal.getMessage().contains("memory"), refusal.getMessage());
    }
}
