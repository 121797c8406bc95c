// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.driver.PinnedMemory;

import java.nio.ByteBuffer;

/** The first device of the emulated driver with the kernels, a stream, and page-locked memory for what comes and goes. */
public final class DeviceRig
{
    public final CudaDriver driver = new JCudaBinding();
    public final CudaDriver.KernelModule module;
    public final CudaDriver.Stream stream;
    private final PinnedMemory staged;

    public DeviceRig(final int stagedBytes)
    {
        driver.load();
        driver.initialise();
        driver.makeCurrent(driver.retainPrimaryContext(0));
        module = driver.loadModule(KernelImage.load().bytes());
        stream = driver.createStream("compute");
        staged = driver.allocatePinned(stagedBytes);
    }

    /** Page-locked memory that {@link #upload} brings, and {@link #download} has brought. */
    public ByteBuffer staged()
    {
        return staged.buffer();
    }

    /** The first {@link #staged} bytes to the device, behind the work of the stream. */
    public void upload(final DeviceMemory to, final long bytes)
    {
        driver.copyToDevice(to, staged, bytes, stream);
        driver.synchronize(stream);
    }

    /** The memory after all work of the stream; valid until the next move. */
    public ByteBuffer download(final DeviceMemory memory)
    {
        driver.copyToHost(staged, memory, memory.bytes(), stream);
        driver.synchronize(stream);
        return staged.buffer();
    }
}
