// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.nio.ByteBuffer;

/**
 * The calls of the CUDA driver API that this project makes, under the driver's own rules. One implementation goes through
 * JCuda; another binding would take its place here. Every call that the driver answers with an error throws a
 * {@link CudaException}. Calls with a stream return before the work is done; no such call allocates on the Java heap.
 *
 * <p>Contexts belong to threads: a thread calls {@link #makeCurrent} before anything but the {@link CudaDevices} part.
 */
public interface CudaDriver extends CudaDevices
{
    /** For reports. */
    DeviceTraits traits(int ordinal);

    /** The primary context of a device, which all that use the device in this process share. */
    Context retainPrimaryContext(int ordinal);

    void releasePrimaryContext(Context context);

    /** @param context null: the thread has none from now on. */
    void makeCurrent(Context context);

    /** How long work on a device is waited for before the device counts as stuck. */
    long deviceLimitNanos();

    /** Bytes of device memory that are free now. */
    long freeMemoryBytes();

    /** @param image a direct buffer with a fat binary. */
    KernelModule loadModule(ByteBuffer image);

    void unload(KernelModule module);

    Kernel kernel(KernelModule module, String name);

    /** Whether an image that was loaded carries a global symbol. */
    boolean hasGlobal(KernelModule module, String name);

    DeviceMemory allocate(long bytes);

    void free(DeviceMemory memory);

    /** Zeroed, page-locked and mapped. */
    PinnedMemory allocatePinned(long bytes);

    void free(PinnedMemory memory);

    /**
     * A stream that does not wait for the default stream.
     *
     * @param name what errors of its calls say, such as {@code compute}.
     */
    Stream createStream(String name);

    /** A stream whose work goes first if it competes with that of other streams for a part of the device. */
    Stream createUrgentStream(String name);

    void destroy(Stream stream);

    /** Whether all work of the stream is done. */
    boolean isIdle(Stream stream);

    /** Blocks until all work of the stream is done: without end if the device hangs, so see {@link StreamWait}. */
    void synchronize(Stream stream);

    /** An event without timing, which costs the least. */
    Event createEvent();

    Event createTimedEvent();

    void destroy(Event event);

    void record(Event event, Stream stream);

    /** Whether all work that the last record covers is done; true for an event that was never recorded. */
    boolean isComplete(Event event);

    /** Milliseconds between two timed events that are complete. */
    float elapsedMillis(Event start, Event end);

    /** Later work of the stream waits for the last record of the event; no wait if it was never recorded. */
    void waitFor(Stream stream, Event event);

    void copyToDevice(DeviceMemory target, PinnedMemory source, long bytes, Stream stream);

    void copyToHost(PinnedMemory target, DeviceMemory source, long bytes, Stream stream);

    /** @param words how many 32-bit words are set. */
    void fill(DeviceMemory target, int value, long words, Stream stream);

    /**
     * Writes a 32-bit word from the stream, after all that the stream did before is visible to the host.
     *
     * @throws CudaException with {@link CudaException#NOT_SUPPORTED} if the device cannot.
     */
    void writeWord(PinnedMemory word, int value, Stream stream);

    /** A launch that can be repeated without marshalling. */
    Launch prepareLaunch(Kernel kernel, int blocks, int threadsPerBlock, int sharedBytes, KernelArguments arguments);

    void launch(Launch launch, Stream stream);

    /** From here to {@link #endCapture} what the stream is given becomes a graph instead of running. */
    void beginCapture(Stream stream);

    /** The graph, ready to be launched. */
    Graph endCapture(Stream stream);

    /** Brings a graph to the device, in the order of the stream, so that its first launch takes no longer than others. */
    void upload(Graph graph, Stream stream);

    void launch(Graph graph, Stream stream);

    void destroy(Graph graph);

    /** The context of a device. */
    interface Context
    {
    }

    /** A loaded kernel image. */
    interface KernelModule
    {
    }

    /** A kernel of a loaded image. */
    interface Kernel
    {
    }

    /** A queue of work that runs in order. */
    interface Stream
    {
    }

    /** A mark in a stream. */
    interface Event
    {
    }

    /** A kernel with its grid and arguments. */
    interface Launch
    {
        /** For reports. */
        LaunchTraits traits();
    }

    /** Captured work. */
    interface Graph
    {
    }
}
