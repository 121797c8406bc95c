// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.StepMemory;
import io.signalbox.cuda.kernel.WeightLaunches;
import io.signalbox.model.WeightRecipe;
import io.signalbox.model.WeightType;

/**
 * Reads memory on a stream before work that is timed. The host enqueues that work meanwhile: an idle device would start its
 * clock before the host has called for the kernels.
 */
final class BusyDevice implements AutoCloseable
{
    /** A fast device takes 0.3 ms for these reads, and the host a tenth of that for the launch of a graph. */
    static final long BYTES = 256L << 20;
    static final int READS = 4;
    private static final int BLOCK_BYTES = 64;
    private static final long KEY = 17;
    /** Values between -1 and 1. */
    private static final float UNIT = 0x1p-24f;

    private final CudaDriver driver;
    private final DriverResources owned;
    private final CudaDriver.Launch read;

    BusyDevice(final CheckDevice device, final long bytes)
    {
        driver = device.driver();
        owned = new DriverResources(driver);
        try
        {
            final CudaDriver.Stream stream = owned.stream("busy");
            read = read(device, owned, bytes, stream);
            StreamWait.await(driver, stream);
        }
        catch (final RuntimeException | Error e)
        {
            owned.closeAfter(e);
            throw e;
        }
    }

    /** A kernel that reads so many bytes, which the stream fills with values first: zeros may be read faster. */
    static CudaDriver.Launch read(
        final CheckDevice device, final DriverResources owned, final long bytes, final CudaDriver.Stream stream)
    {
        final CudaDriver driver = device.driver();
        final DeviceMemory block = owned.device(BLOCK_BYTES);
        driver.fill(block, 0, BLOCK_BYTES / Integer.BYTES, stream);
        final DeviceMemory source = owned.device(bytes);
        driver.launch(new WeightLaunches(driver, device.module())
            .generate(source, WeightType.BF16, new WeightRecipe(KEY, UNIT)), stream);
        final StepMemory memory = StepMemory.of(block);
        return new KernelLaunches(driver, device.module(), memory).streamBytes(source, owned.device(BLOCK_BYTES));
    }

    void work(final CudaDriver.Stream stream)
    {
        for (int i = 0; i < READS; i++)
        {
            driver.launch(read, stream);
        }
    }

    @Override
    public void close()
    {
        owned.close();
    }
}
