// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.model.ModelWeights;

import java.util.Iterator;
import java.util.function.BooleanSupplier;

/**
 * Copies weights over another set of the same plan, on separate streams, while ranks compute with other memory. It allocates
 * its page-locked memory once, because allocation and release may wait for the device.
 */
public final class WeightRefill implements AutoCloseable
{
    private final WeightUpload upload;
    private Iterator<DeviceMemory> room;
    private BooleanSupplier stopped;

    /**
     * The device's context is current, here and for each later call.
     *
     * @param module with the kernels that make weights.
     */
    public WeightRefill(final CudaDriver driver, final CudaDriver.KernelModule module)
    {
        upload = new WeightUpload(driver, module, this::next, () -> stopped.getAsBoolean());
    }

    /**
     * Returns when the weights are on the device.
     *
     * @param target   a set that no step reads.
     * @param unwanted whether to stop; asked before each piece.
     * @throws io.signalbox.ConfigException if a file has changed, or the copy was stopped. The target is then incomplete.
     */
    public void run(final DecoderWeights target, final ModelWeights weights, final BooleanSupplier unwanted)
    {
        stopped = unwanted;
        room = target.memories().iterator();
        try
        {
            target.refill(upload, weights);
        }
        finally
        {
            upload.await();
        }
    }

    private DeviceMemory next(final long bytes)
    {
        final DeviceMemory memory = room.next();
        if (memory.bytes() != bytes)
        {
            throw new InvariantViolation("a tensor of " + bytes + " bytes has room for " + memory.bytes());
        }
        return memory;
    }

    @Override
    public void close()
    {
        upload.close();
    }
}
