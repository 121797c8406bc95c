// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.nio.ByteBuffer;

/** Passes every call on; tests change single calls. */
public class ForwardingDriver implements CudaDriver
{
    private final CudaDriver driver;

    protected ForwardingDriver(final CudaDriver driver)
    {
        this.driver = driver;
    }

    @Override
    public void load()
    {
        driver.load();
    }

    @Override
    public void initialise()
    {
        driver.initialise();
    }

    @Override
    public int version()
    {
        return driver.version();
    }

    @Override
    public int deviceCount()
    {
        return driver.deviceCount();
    }

    @Override
    public CudaDevice device(final int ordinal)
    {
        return driver.device(ordinal);
    }

    @Override
    public DeviceTraits traits(final int ordinal)
    {
        return driver.traits(ordinal);
    }

    @Override
    public Context retainPrimaryContext(final int ordinal)
    {
        return driver.retainPrimaryContext(ordinal);
    }

    @Override
    public void releasePrimaryContext(final Context context)
    {
        driver.releasePrimaryContext(context);
    }

    @Override
    public void makeCurrent(final Context context)
    {
        driver.makeCurrent(context);
    }

    @Override
    public long deviceLimitNanos()
    {
        return driver.deviceLimitNanos();
    }

    @Override
    public long freeMemoryBytes()
    {
        return driver.freeMemoryBytes();
    }

    @Override
    public KernelModule loadModule(final ByteBuffer image)
    {
        return driver.loadModule(image);
    }

    @Override
    public void unload(final KernelModule module)
    {
        driver.unload(module);
    }

    @Override
    public Kernel kernel(final KernelModule module, final String name)
    {
        return driver.kernel(module, name);
    }

    @Override
    public boolean hasGlobal(final KernelModule module, final String name)
    {
        return driver.hasGlobal(module, name);
    }

    @Override
    public DeviceMemory allocate(final long bytes)
    {
        return driver.allocate(bytes);
    }

    @Override
    public void free(final DeviceMemory memory)
    {
        driver.free(memory);
    }

    @Override
    public PinnedMemory allocatePinned(final long bytes)
    {
        return driver.allocatePinned(bytes);
    }

    @Override
    public void free(final PinnedMemory memory)
    {
        driver.free(memory);
    }

    @Override
    public Stream createStream(final String name)
    {
        return driver.createStream(name);
    }

    @Override
    public Stream createUrgentStream(final String name)
    {
        return driver.createUrgentStream(name);
    }

    @Override
    public void destroy(final Stream stream)
    {
        driver.destroy(stream);
    }

    @Override
    public boolean isIdle(final Stream stream)
    {
        return driver.isIdle(stream);
    }

    @Override
    public void synchronize(final Stream stream)
    {
        driver.synchronize(stream);
    }

    @Override
    public Event createEvent()
    {
        return driver.createEvent();
    }

    @Override
    public Event createTimedEvent()
    {
        return driver.createTimedEvent();
    }

    @Override
    public void destroy(final Event event)
    {
        driver.destroy(event);
    }

    @Override
    public void record(final Event event, final Stream stream)
    {
        driver.record(event, stream);
    }

    @Override
    public boolean isComplete(final Event event)
    {
        return driver.isComplete(event);
    }

    @Override
    public float elapsedMillis(final Event start, final Event end)
    {
        return driver.elapsedMillis(start, end);
    }

    @Override
    public void waitFor(final Stream stream, final Event event)
    {
        driver.waitFor(stream, event);
    }

    @Override
    public void copyToDevice(
        final DeviceMemory target, final PinnedMemory source, final long bytes, final Stream stream)
    {
        driver.copyToDevice(target, source, bytes, stream);
    }

    @Override
    public void copyToHost(final PinnedMemory target, final DeviceMemory source, final long bytes, final Stream stream)
    {
        driver.copyToHost(target, source, bytes, stream);
    }

    @Override
    public void fill(final DeviceMemory target, final int value, final long words, final Stream stream)
    {
        driver.fill(target, value, words, stream);
    }

    @Override
    public void writeWord(final PinnedMemory word, final int value, final Stream stream)
    {
        driver.writeWord(word, value, stream);
    }

    @Override
    public Launch prepareLaunch(
        final Kernel kernel,
        final int blocks,
        final int threadsPerBlock,
        final int sharedBytes,
        final KernelArguments arguments)
    {
        return driver.prepareLaunch(kernel, blocks, threadsPerBlock, sharedBytes, arguments);
    }

    @Override
    public void launch(final Launch launch, final Stream stream)
    {
        driver.launch(launch, stream);
    }

    @Override
    public void beginCapture(final Stream stream)
    {
        driver.beginCapture(stream);
    }

    @Override
    public Graph endCapture(final Stream stream)
    {
        return driver.endCapture(stream);
    }

    @Override
    public void upload(final Graph graph, final Stream stream)
    {
        driver.upload(graph, stream);
    }

    @Override
    public void launch(final Graph graph, final Stream stream)
    {
        driver.launch(graph, stream);
    }

    @Override
    public void destroy(final Graph graph)
    {
        driver.destroy(graph);
    }
}
