// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.KernelModule;
import io.signalbox.cuda.driver.CudaDriver.Stream;
import io.signalbox.cuda.driver.DrivenWaits;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.kernel.KernelImage;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The emulated device as a rank finds it: a context, the kernels and a compute stream. Freshly reset. */
final class EmulatedDevice
{
    final CudaDriver driver = new DrivenWaits(new JCudaBinding());
    final KernelModule module;
    final Stream compute;

    private EmulatedDevice()
    {
        driver.load();
        driver.initialise();
        driver.makeCurrent(driver.retainPrimaryContext(0));
        module = driver.loadModule(KernelImage.load().bytes());
        compute = driver.createStream("compute");
    }

    /** Skips the test if the emulated driver cannot be built. */
    static EmulatedDevice open()
    {
        EmulatedDriver.assumeAvailable();
        return new EmulatedDevice();
    }

    /** The memory of a ring is back; context, module and compute stream are the device's own. */
    static void assertNothingIsLeft()
    {
        assertEquals(0, EmulatedDriver.count(Count.DEVICE_ALLOCATIONS));
        assertEquals(0, EmulatedDriver.count(Count.PINNED_ALLOCATIONS));
        assertEquals(1, EmulatedDriver.count(Count.STREAMS));
        assertEquals(0, EmulatedDriver.count(Count.EVENTS));
        assertEquals(0, EmulatedDriver.count(Count.HOST_FUNCTIONS));
    }
}
