// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.driver.StuckThreads;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

import static io.signalbox.cuda.EngineRun.SHAPE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A device or a driver that never answers costs the requests of its rank, and neither the engine nor its close. */
@Tag("threads")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CudaStuckTest
{
    private static final long SECOND = 1_000_000_000L;
    private static final long LIMIT_NANOS = 400_000_000L;
    private static final long PATIENT_NANOS = 60 * SECOND;

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
    }

    @AfterEach
    void letGo()
    {
        EmulatedDriver.letGo();
    }

    /** Has time for a start on a busy machine, until something is to be found stuck. */
    private static final class Patience extends ForwardingDriver
    {
        private volatile long limitNanos = PATIENT_NANOS;

        private Patience()
        {
            super(new JCudaBinding());
        }

        @Override
        public long deviceLimitNanos()
        {
            return limitNanos;
        }

        private void end()
        {
            limitNanos = LIMIT_NANOS;
        }
    }

    private final Patience driver = new Patience();

    private static CudaBackendConfig config()
    {
        return EngineRun.config().deviceLimit(Duration.ofNanos(LIMIT_NANOS)).stepTimeout(Duration.ofNanos(LIMIT_NANOS));
    }

    /** A request of an engine whose backend says how long a step may take. */
    private static EngineConfig context(final CudaBackend backend)
    {
        return new EngineConfig().backend(backend).scheduler(SchedulerConfig.builder()
            .ranks(1).blockSizeTokens(16).kvBlocks(129).stepTokens(64).capture(SHAPE).build());
    }

    @Test
    void shouldFailTheRequestsOfAStalledDeviceAndSaySoAtTheClose() throws Exception
    {
        final SignalboxEngine engine = SignalboxEngine.launch(context(new CudaBackend(config(), driver)));
        driver.end();
        EmulatedDriver.stallDevice(0);
        final CompletionHandle handle = engine.submit(CompletionRequest.prompt(new int[20]).maxNewTokens(5));

        assertEquals(FinishReason.FAILED, handle.await().reason());
        final DeviceStuckException stuck = assertThrows(DeviceStuckException.class, engine::close);
        assertEquals("device 0 was left as it is when the CUDA backend closed: the stream compute still had work after " +
            "400 ms", stuck.getMessage());
        assertEquals(0, EmulatedDriver.blocked(), "nothing waits inside the driver");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cuMemcpyHtoDAsync", "cuGraphLaunch", "cuLaunchKernel", "cuEventRecord"})
    void shouldGiveUpAThreadThatIsStuckInTheDriver(final String call) throws Exception
    {
        final SignalboxEngine engine = SignalboxEngine.launch(
            context(new CudaBackend(config().maxGraphTokens("cuGraphLaunch".equals(call) ? 64 : 0), driver)));
        driver.end();
        EmulatedDriver.hangCall(call, 1);
        final CompletionHandle handle = engine.submit(CompletionRequest.prompt(new int[20]).maxNewTokens(5));

        assertEquals(FinishReason.FAILED, handle.await().reason());
        while (EmulatedDriver.blocked() == 0 && !Thread.currentThread().isInterrupted())
        {
            Thread.onSpinWait();
        }
        final DeviceStuckException stuck = assertThrows(DeviceStuckException.class, engine::close);
        assertEquals("device 0 was left as it is when the CUDA backend closed: the thread of rank 0 has not come back " +
            "from " + call, stuck.getMessage());
        assertTrue(StuckThreads.any(), "a process with such a thread is to be halted");
    }

    /** Giving back is done by calls that may hang as well. */
    @ParameterizedTest
    @ValueSource(strings = {"cuMemFree", "cuModuleUnload", "cuStreamSynchronize", "cuDevicePrimaryCtxRelease"})
    void shouldGiveUpAClosingCallThatHangs(final String call)
    {
        final CudaBackend backend = new CudaBackend(config(), driver);
        backend.start(1, SHAPE, new RankReports());
        driver.end();
        EmulatedDriver.hangCall(call, 1);

        final DeviceStuckException stuck = assertThrows(DeviceStuckException.class, backend::close);
        assertTrue(stuck.getMessage().startsWith("the close of the CUDA backend did not end within 800 ms") &&
            stuck.getMessage().endsWith(call), stuck.getMessage());
    }

    @Test
    void shouldGiveUpAStartThatHangs()
    {
        EmulatedDriver.hangCall("cuModuleLoadDataEx", 1);
        final CudaBackend backend = new CudaBackend(config());

        final DeviceStuckException stuck =
            assertThrows(DeviceStuckException.class, () -> backend.start(1, SHAPE, new RankReports()));
        assertTrue(stuck.getMessage().endsWith("cuModuleLoadDataEx"), stuck.getMessage());
        backend.close();
    }

    @Test
    void shouldGiveUpADeviceThatStallsBeforeTheFirstStep()
    {
        EmulatedDriver.stallCopy(1);
        final CudaBackend backend = new CudaBackend(config());

        final DeviceStuckException stuck =
            assertThrows(DeviceStuckException.class, () -> backend.start(1, SHAPE, new RankReports()));
        assertTrue(stuck.getMessage().contains("still had work after 400 ms"), stuck.getMessage());
        assertEquals(0, EmulatedDriver.blocked(), "nothing waits inside the driver");
    }

    @Test
    void shouldHaveAFiniteStepTimeoutUnlessToldOtherwise()
    {
        assertEquals(30 * SECOND, new CudaBackend(new CudaBackendConfig()).stepTimeoutNanos());
        assertFalse(StuckThreads.any());
    }
}
