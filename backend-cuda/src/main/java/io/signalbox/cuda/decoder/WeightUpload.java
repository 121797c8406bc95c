// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.model.WeightMatrix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Copies weights to the device through two pieces of page-locked memory: one is filled while the other is copied. */
final class WeightUpload implements AutoCloseable
{
    private static final int PIECE_BYTES = 8 << 20;

    private final CudaDriver driver;
    private final DriverResources target;
    private final DriverResources staging;
    private final PinnedMemory[] pieces = new PinnedMemory[2];
    private final CudaDriver.Stream[] streams = new CudaDriver.Stream[2];
    private int next;

    /** @param target owns the device memory. */
    WeightUpload(final CudaDriver driver, final DriverResources target)
    {
        this.driver = driver;
        this.target = target;
        staging = new DriverResources(driver);
        try
        {
            for (int piece = 0; piece < pieces.length; piece++)
            {
                pieces[piece] = staging.pinned(PIECE_BYTES);
                streams[piece] = staging.stream("upload");
            }
        }
        catch (final RuntimeException e)
        {
            staging.closeAfter(e);
            throw e;
        }
    }

    /** Matrices of one size and type, one after the other. */
    DeviceMemory matrices(final List<WeightMatrix> matrices)
    {
        final WeightMatrix first = matrices.get(0);
        final long each = (long)first.count() * first.type().bytes();
        final DeviceMemory memory = target.device(each * matrices.size());
        for (int i = 0; i < matrices.size(); i++)
        {
            copy(matrices.get(i).bytes(), memory.slice(i * each, each));
        }
        return memory;
    }

    /** {@code null} for {@code null}. */
    DeviceMemory vector(final float[] values)
    {
        if (values == null)
        {
            return null;
        }
        final ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        final DeviceMemory memory = target.device(bytes.capacity());
        copy(bytes, memory);
        return memory;
    }

    private void copy(final ByteBuffer from, final DeviceMemory to)
    {
        final ByteBuffer bytes = from.duplicate();
        for (long at = 0; at < to.bytes(); at += PIECE_BYTES)
        {
            final int count = (int)Math.min(PIECE_BYTES, to.bytes() - at);
            final PinnedMemory piece = pieces[next];
            StreamWait.await(driver, streams[next]);
            bytes.limit((int)at + count).position((int)at);
            piece.buffer().duplicate().clear().put(bytes);
            driver.copyToDevice(to.slice(at, count), piece, count, streams[next]);
            next = 1 - next;
        }
    }

    /** Waits until all is on the device. */
    @Override
    public void close()
    {
        staging.close();
    }
}
