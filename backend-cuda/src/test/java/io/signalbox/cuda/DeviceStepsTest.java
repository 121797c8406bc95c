// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.kernel.CaptureForm;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Compared steps read the same memory in the same context, by the same kernels. */
class DeviceStepsTest
{
    private static final long STREAMED_BYTES = 1L << 20;

    private final List<Long> allocated = new ArrayList<>();

    @BeforeEach
    void emulate()
    {
        EmulatedDriver.assumeAvailable();
        new JCudaBinding().initialise();
    }

    @Test
    void shouldShareContextKernelsAndStreamedMemory()
    {
        final CudaDriver driver = new Allocations(new JCudaBinding());
        final CudaBackendConfig config = EngineRun.config().streamedBytesPerLayer(STREAMED_BYTES);
        try (DeviceSteps off = new DeviceSteps(driver, config, null);
            DeviceSteps again = off.beside(config, null);
            DeviceSteps fused = off.beside(config, CaptureForm.FUSED))
        {
            assertEquals(1, allocated.stream().filter(bytes -> bytes == STREAMED_BYTES).count());
            assertEquals(1, EmulatedDriver.count(Count.MODULES));
            assertEquals(1, EmulatedDriver.count(Count.CONTEXTS));
            assertEquals(0, off.ring().inFlight() + again.ring().inFlight() + fused.ring().inFlight());
        }
        assertEquals(0, EmulatedDriver.count(Count.DEVICE_ALLOCATIONS));
        assertEquals(0, EmulatedDriver.count(Count.CONTEXTS));
    }

    /** Kernels are loaded by a separate step, before the first capture. */
    @Test
    void shouldRunEachKernelBeforeItIsCapturedAndUploadEveryGraph()
    {
        final List<String> calls = new ArrayList<>();
        final CudaDriver driver = new Captures(new JCudaBinding(), calls);
        new DeviceSteps(driver, EngineRun.config(), CaptureForm.FUSED).close();

        assertEquals("launch", calls.get(0));
        final int captures = (int)calls.stream().filter("capture"::equals).count();
        assertEquals(captures, calls.stream().filter("upload"::equals).count());
        assertEquals(true, calls.indexOf("launch") < calls.indexOf("capture"));
    }

    /** Notes sizes. */
    private final class Allocations extends ForwardingDriver
    {
        private Allocations(final CudaDriver driver)
        {
            super(driver);
        }

        @Override
        public DeviceMemory allocate(final long bytes)
        {
            allocated.add(bytes);
            return super.allocate(bytes);
        }
    }

    /** Notes launches, captures and uploads. */
    private static final class Captures extends ForwardingDriver
    {
        private final List<String> calls;

        private Captures(final CudaDriver driver, final List<String> calls)
        {
            super(driver);
            this.calls = calls;
        }

        @Override
        public void launch(final Launch launch, final Stream stream)
        {
            calls.add("launch");
            super.launch(launch, stream);
        }

        @Override
        public void beginCapture(final Stream stream)
        {
            calls.add("capture");
            super.beginCapture(stream);
        }

        @Override
        public void upload(final Graph graph, final Stream stream)
        {
            calls.add("upload");
            super.upload(graph, stream);
        }
    }
}
