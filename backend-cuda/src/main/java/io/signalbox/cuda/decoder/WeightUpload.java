// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.ConfigException;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.WeightLaunches;
import io.signalbox.model.PackedWeights;
import io.signalbox.model.WeightMatrix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Brings weights to the device: stored ones through two pieces of page-locked memory, of which one is filled while the
 * other is copied; generated ones are made there.
 */
final class WeightUpload implements WeightTarget, AutoCloseable
{
    private static final int PIECE_BYTES = 8 << 20;
    private static final int PIECES = 2;
    static final long STAGING_BYTES = (long)PIECES * PIECE_BYTES;

    /** Puts some rows of a tensor at the position of a buffer. */
    @FunctionalInterface
    private interface Rows
    {
        void put(int first, int count, ByteBuffer to);
    }

    private final CudaDriver driver;
    private final WeightLaunches launches;
    private final LongFunction<DeviceMemory> room;
    private final BooleanSupplier stopped;
    private final DriverResources staging;
    private final PinnedMemory[] pieces = new PinnedMemory[PIECES];
    private final CudaDriver.Stream[] streams = new CudaDriver.Stream[PIECES];
    private int next;

    /**
     * @param module with the kernels that make weights; {@code null}: none are made.
     * @param target owns the device memory.
     */
    WeightUpload(final CudaDriver driver, final CudaDriver.KernelModule module, final DriverResources target)
    {
        this(driver, module, target::device, () -> false);
    }

    /**
     * @param room    gives the memory for the next tensor of so many bytes.
     * @param stopped whether to stop the copy.
     */
    WeightUpload(
        final CudaDriver driver, final CudaDriver.KernelModule module, final LongFunction<DeviceMemory> room,
        final BooleanSupplier stopped)
    {
        this.driver = driver;
        this.room = room;
        this.stopped = stopped;
        launches = module == null ? null : new WeightLaunches(driver, module);
        staging = new DriverResources(driver);
        try
        {
            for (int piece = 0; piece < PIECES; piece++)
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

    @Override
    public DeviceMemory matrices(final List<WeightMatrix> matrices)
    {
        final DeviceMemory memory = room.apply(WeightTarget.bytes(matrices));
        final long each = memory.bytes() / matrices.size();
        for (int i = 0; i < matrices.size(); i++)
        {
            bring(matrices.get(i), memory.slice(i * each, each));
        }
        return memory;
    }

    @Override
    public DeviceMemory codes(final List<WeightMatrix> matrices)
    {
        final DeviceMemory memory = room.apply(WeightTarget.codeBytes(matrices));
        final long each = memory.bytes() / matrices.size();
        for (int i = 0; i < matrices.size(); i++)
        {
            final WeightMatrix from = matrices.get(i);
            final PackedWeights packed = from.packed();
            copy(packed::putCodes, from.rows(), packed.layout().codeBytes(from.columns()), memory.slice(i * each, each));
        }
        return memory;
    }

    @Override
    public DeviceMemory scales(final List<WeightMatrix> matrices)
    {
        final DeviceMemory memory = room.apply(WeightTarget.scaleBytes(matrices));
        final long each = memory.bytes() / matrices.size();
        for (int i = 0; i < matrices.size(); i++)
        {
            final WeightMatrix from = matrices.get(i);
            final PackedWeights packed = from.packed();
            copy(packed::putScales, packed.layout().blocksDown(from.rows()), packed.layout().scaleBytes(from.columns()),
                memory.slice(i * each, each));
            from.taken();
        }
        return memory;
    }

    private void bring(final WeightMatrix matrix, final DeviceMemory to)
    {
        requireWanted();
        if (matrix.recipe() == null)
        {
            copy(matrix::putRows, matrix.rows(), matrix.columns() * matrix.type().bytes(), to);
        }
        else
        {
            driver.launch(launches.generate(to, matrix.type(), matrix.recipe()), streams[0]);
        }
        matrix.taken();
    }

    private void requireWanted()
    {
        if (stopped.getAsBoolean())
        {
            throw new ConfigException("the CUDA backend was closed while the new weights were brought to the device; " +
                "start another engine with them.");
        }
    }

    @Override
    public DeviceMemory vector(final float[] values)
    {
        if (values == null)
        {
            return null;
        }
        final DeviceMemory memory = room.apply((long)values.length * Float.BYTES);
        for (int at = 0; at < values.length; at += PIECE_BYTES / Float.BYTES)
        {
            final int first = at;
            final int count = Math.min(PIECE_BYTES / Float.BYTES, values.length - at);
            copy(piece -> piece.asFloatBuffer().put(values, first, count),
                memory.slice((long)first * Float.BYTES, count * Float.BYTES));
        }
        return memory;
    }

    /** Zeros, in whole words. */
    void clear(final DeviceMemory memory)
    {
        driver.fill(memory, 0, memory.bytes() / Integer.BYTES, streams[0]);
    }

    /** As many whole rows at a time as a piece holds. */
    private void copy(final Rows from, final int rows, final int rowBytes, final DeviceMemory to)
    {
        final int most = PIECE_BYTES / rowBytes;
        for (int row = 0; row < rows; row += most)
        {
            final int first = row;
            final int count = Math.min(most, rows - row);
            copy(piece -> from.put(first, count, piece), to.slice((long)first * rowBytes, (long)count * rowBytes));
        }
    }

    /** At most a piece. */
    private void copy(final Consumer<ByteBuffer> from, final DeviceMemory to)
    {
        requireWanted();
        final PinnedMemory piece = pieces[next];
        StreamWait.await(driver, streams[next]);
        from.accept(piece.buffer().duplicate().clear().order(ByteOrder.LITTLE_ENDIAN));
        driver.copyToDevice(to, piece, (int)to.bytes(), streams[next]);
        next = 1 - next;
    }

    /** Waits until all is on the device. */
    void await()
    {
        for (final CudaDriver.Stream stream : streams)
        {
            StreamWait.await(driver, stream);
        }
    }

    /** Waits until all is on the device. */
    @Override
    public void close()
    {
        staging.close();
    }
}
