// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.ExpertRouterSpec;

import java.nio.ByteBuffer;

/** Memory that {@link SeededModel} reads and never writes: one copy for all ranks on a device. */
final class SeededWeights implements AutoCloseable
{
    /** Columns of an expert's output, a row of which is what an opaque router kernel mixes. */
    static final int OUTPUT_WIDTH = 32;
    private static final int OUTPUT_LEVELS = 64;

    private final DriverResources memory;
    private final DeviceMemory bias;
    private final DeviceMemory expertOutputs;
    private final DeviceMemory streamed;

    SeededWeights(final CudaDriver driver, final ExpertRouterSpec router, final long streamedBytes)
    {
        memory = new DriverResources(driver);
        try
        {
            final float[] biases = router.bias();
            bias = biases == null ? null : upload(driver, biases);
            expertOutputs = upload(driver, outputs(router.experts()));
            streamed = streamedBytes == 0 ? null : memory.device(streamedBytes);
        }
        catch (final RuntimeException e)
        {
            memory.closeAfter(e);
            throw e;
        }
    }

    private static float[] outputs(final int experts)
    {
        final float[] values = new float[experts * OUTPUT_WIDTH];
        for (int i = 0; i < values.length; i++)
        {
            values[i] = (i * 31 % OUTPUT_LEVELS - OUTPUT_LEVELS / 2) / (float)OUTPUT_LEVELS;
        }
        return values;
    }

    private DeviceMemory upload(final CudaDriver driver, final float[] values)
    {
        final long bytes = (long)values.length * Float.BYTES;
        final DeviceMemory target = memory.device(bytes);
        try (DriverResources staging = new DriverResources(driver))
        {
            final PinnedMemory source = staging.pinned(bytes);
            final CudaDriver.Stream stream = staging.stream("upload");
            final ByteBuffer buffer = source.buffer();
            for (int i = 0; i < values.length; i++)
            {
                buffer.putFloat(i * Float.BYTES, values[i]);
            }
            driver.copyToDevice(target, source, bytes, stream);
            StreamWait.await(driver, stream);
        }
        return target;
    }

    /** {@code [experts]} float32, or null. */
    DeviceMemory bias()
    {
        return bias;
    }

    /** {@code [experts][OUTPUT_WIDTH]} float32. */
    DeviceMemory expertOutputs()
    {
        return expertOutputs;
    }

    /** The memory that each layer reads, or null. */
    DeviceMemory streamed()
    {
        return streamed;
    }

    @Override
    public void close()
    {
        memory.close();
    }
}
