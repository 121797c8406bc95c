// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A context, a module and a stream of the emulated driver, and the moves that its tests make with them. */
final class EmulatedRank
{
    private static final int FATBIN_MAGIC = 0xBA55ED50;
    private static final int IMAGE_BYTES = 64;

    final CudaDriver driver = new JCudaBinding();
    final CudaDriver.Context context;
    final CudaDriver.KernelModule module;
    final CudaDriver.Stream stream;

    EmulatedRank()
    {
        driver.load();
        driver.initialise();
        context = driver.retainPrimaryContext(0);
        driver.makeCurrent(context);
        module = driver.loadModule(image("signalbox_test_mark"));
        stream = driver.createStream("compute");
    }

    /** The least that counts as an image: its header, and a symbol. */
    static ByteBuffer image(final String symbol)
    {
        final ByteBuffer image = ByteBuffer.allocateDirect(IMAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        image.putInt(0, FATBIN_MAGIC).putShort(4, (short)1).putShort(6, (short)16).putLong(8, IMAGE_BYTES - 16);
        for (int i = 0; i < symbol.length(); i++)
        {
            image.put(16 + i, (byte)symbol.charAt(i));
        }
        return image;
    }

    KernelArguments arguments()
    {
        return new KernelArguments(16);
    }

    CudaDriver.Launch prepare(
        final String kernel, final int blocks, final int threads, final int sharedBytes, final KernelArguments arguments)
    {
        return driver.prepareLaunch(driver.kernel(module, kernel), blocks, threads, sharedBytes, arguments);
    }

    void launch(
        final String kernel, final int blocks, final int threads, final int sharedBytes, final KernelArguments arguments)
    {
        driver.launch(prepare(kernel, blocks, threads, sharedBytes, arguments), stream);
    }

    PinnedMemory pinned(final int... values)
    {
        final PinnedMemory memory = driver.allocatePinned(4L * values.length);
        for (int i = 0; i < values.length; i++)
        {
            memory.buffer().putInt(4 * i, values[i]);
        }
        return memory;
    }

    /** Device memory with these values, whatever the mode. */
    DeviceMemory upload(final int... values)
    {
        final PinnedMemory staged = pinned(values);
        final DeviceMemory memory = driver.allocate(4L * values.length);
        driver.copyToDevice(memory, staged, 4L * values.length, stream);
        driver.synchronize(stream);
        driver.free(staged);
        return memory;
    }

    /** The memory after all work of the stream. */
    int[] download(final DeviceMemory memory, final int count)
    {
        final PinnedMemory staged = driver.allocatePinned(4L * count);
        driver.copyToHost(staged, memory, 4L * count, stream);
        driver.synchronize(stream);
        final int[] values = values(staged, count);
        driver.free(staged);
        return values;
    }

    static int[] values(final PinnedMemory memory, final int count)
    {
        final int[] values = new int[count];
        for (int i = 0; i < count; i++)
        {
            values[i] = memory.buffer().getInt(4 * i);
        }
        return values;
    }
}
