// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.ptx.PtxKernels;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Assumptions;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Controls of the emulated CUDA driver: a {@code libcuda.so.1} that runs the kernels of this module on the CPU, so that
 * everything from the binding down is tested on machines without a GPU. Its state is the process's: a test calls
 * {@link #assumeAvailable} first, which also puts it back to how a new process finds it.
 */
public final class EmulatedDriver
{
    private static final String NO_FAILURE = "";
    private static final int MAX_FAULT_BYTES = 4096;
    private static String unavailable;

    private EmulatedDriver()
    {
    }

    /** Skips the test, and says why, if the library cannot be built; otherwise loads and resets it. */
    public static synchronized void assumeAvailable()
    {
        if (unavailable == null)
        {
            unavailable = load();
        }
        Assumptions.assumeTrue(unavailable.isEmpty(), unavailable);
        reset0();
    }

    private static String load()
    {
        final String reason = EmulatedDriverBuild.whyNot();
        if (!reason.isEmpty())
        {
            return reason;
        }
        System.load(EmulatedDriverBuild.library().toString());
        final JCudaBinding binding = new JCudaBinding();
        binding.load();
        final long before = calls("cuDriverGetVersion");
        binding.version();
        if (calls("cuDriverGetVersion") == before)
        {
            throw new IllegalStateException("another libcuda.so.1 was loaded into this process before the emulated one");
        }
        kernels(PtxKernels.ofProcess());
        return NO_FAILURE;
    }

    /** Back to immediate mode without any handles, memory, failures or counts. Nothing of before may be used again. */
    public static void reset()
    {
        reset0();
    }

    /** Work runs when it is given, on the thread that gives it. */
    public static void immediate()
    {
        mode0(0, 1, 0);
    }

    /**
     * Work waits until {@link #advance} runs it, or until a call that waits for it does; asking whether something is
     * complete runs nothing.
     */
    public static void stepped()
    {
        mode0(1, 1, 0);
    }

    /** A thread per stream, each of whose pieces of work is late by up to so many microseconds. */
    public static void threaded(final long seed, final int maxDelayMicros)
    {
        mode0(2, seed, maxDelayMicros);
    }

    /** In which order warps, lanes and blocks run. */
    public static void order(final Order order, final long seed)
    {
        order0(order.ordinal(), seed);
    }

    /**
     * The largest quantum of one {@link #advance}.
     *
     * @param copyBytes how much of a copy, 0 for all of it.
     * @param blocks    of a launch, one block instead of all.
     */
    public static void quantum(final long copyBytes, final boolean blocks)
    {
        quantum0(copyBytes, blocks);
    }

    /**
     * Takes kernels from this library, which was made of PTX, and those that it does not have from the sources. Unlike other
     * settings it outlasts {@link #reset}.
     *
     * @param library {@code null} for all kernels from the sources.
     */
    public static void kernels(final Path library)
    {
        final ByteBuffer text = text(library == null ? "" : library.toString());
        final boolean loaded = kernels0(library == null ? 0 : address(text));
        Reference.reachabilityFence(text);
        if (!loaded)
        {
            throw new IllegalStateException("the kernels of the PTX do not load: " + lastFault());
        }
    }

    /** How many devices there are. To be called before anything is initialised. */
    public static void devices(final int count)
    {
        devices0(count);
    }

    /** Memory of each device; more is out of memory. */
    public static void memoryBytes(final long bytes)
    {
        memory0(bytes);
    }

    /** Whether streams can write words. */
    public static void offerStreamWrites(final boolean offered)
    {
        streamWrites0(offered);
    }

    /** CUDA version that the driver reports, such as 12080 for 12.8. */
    public static void driverVersion(final int version)
    {
        driverVersion0(version);
    }

    /** Value of a device attribute, by the number of {@code CUdevice_attribute}. */
    public static void attribute(final int attribute, final int value)
    {
        attribute0(attribute, value);
    }

    /** How many streams have work that can run now. */
    public static int runnable()
    {
        return runnable0();
    }

    /** The number, in order of creation from 0, of the stream that {@link #advance} runs for this choice. */
    public static int runnableStream(final int choice)
    {
        return runnableStream0(choice);
    }

    /**
     * Runs a quantum of one stream.
     *
     * @param choice which of those that can run, not negative; modulo their number.
     * @return how many can run after that, -1 when there was nothing to run.
     */
    public static int advance(final int choice)
    {
        return advance0(choice);
    }

    /**
     * Runs a quantum of one stream, by its number in order of creation.
     *
     * @return whether it had work that could run.
     */
    public static boolean advanceStream(final int stream)
    {
        return advanceStream0(stream);
    }

    /** Runs all there is. */
    public static void advanceAll()
    {
        int left = runnable();
        while (left > 0)
        {
            left = advance(0);
        }
    }

    /** The n-th call from now of this name, as {@code cuMemAlloc}, does nothing and answers the code. */
    public static void failCall(final String name, final int calls, final int code)
    {
        final ByteBuffer text = text(name);
        fail0(address(text), calls, code);
        Reference.reachabilityFence(text);
    }

    /** The n-th call from now, whichever it is, does nothing and answers the code. */
    public static void failAnyCall(final int calls, final int code)
    {
        failCall("", calls, code);
    }

    /**
     * The n-th launch from now is accepted and fails when it runs. From then on every call of its device answers the
     * code.
     */
    public static void failLaunch(final int launches, final int code)
    {
        failLaunch0(launches, code);
    }

    /**
     * The n-th launch from now is accepted and never completes, until {@link #release}. Launches of a graph's nodes count.
     * Everything behind it in its stream waits: queries say not ready, calls that wait block.
     */
    public static void stallLaunch(final int launches)
    {
        stall0(launches, 0);
    }

    /** The n-th asynchronous or synchronous copy from now never completes, as {@link #stallLaunch}. */
    public static void stallCopy(final int copies)
    {
        stall0(0, copies);
    }

    /** No work of this device completes until {@link #release}, what it was already given included. */
    public static void stallDevice(final int ordinal)
    {
        stallDevice0(ordinal);
    }

    /** The n-th call from now of this name, as {@code cuMemAlloc}, returns after {@link #release} only. Others continue. */
    public static void hangCall(final String name, final int calls)
    {
        hangCall(name, calls, 0);
    }

    /** As {@link #hangCall(String, int)}, for so many milliseconds at most; 0 is without end. */
    public static void hangCall(final String name, final int calls, final long millis)
    {
        final ByteBuffer text = text(name);
        hang0(address(text), calls, millis);
        Reference.reachabilityFence(text);
    }

    /**
     * Launches of this kernel take so much longer on the device's clock, on which any other launch takes a microsecond.
     * Nothing waits. A launch with a null pointer, which has less to do, does not take longer.
     */
    public static void slowKernel(final String name, final long millis)
    {
        final ByteBuffer text = text(name);
        slow0(address(text), millis);
        Reference.reachabilityFence(text);
    }

    /** All that stalls or hangs continues as if nothing had been; {@link #reset} releases it, too, and drops its work. */
    public static void release()
    {
        release0();
    }

    /**
     * Ends a test that left threads inside the driver. Memory goes only after they have come back and ended: a thread that
     * returned into a driver without memory would end the process.
     */
    public static void letGo()
    {
        do
        {
            release();
            Thread.onSpinWait();
        }
        while (StuckThreads.any());
        reset();
    }

    /** How many threads wait inside a call now: for work, or because the call hangs. */
    public static int blocked()
    {
        return blocked0();
    }

    public static long count(final Count what)
    {
        return count0(what.ordinal());
    }

    /** How often the driver was called by this name since the reset. */
    public static long calls(final String name)
    {
        final ByteBuffer text = text(name);
        final long calls = calls0(address(text));
        Reference.reachabilityFence(text);
        return calls;
    }

    /** The fault of the kernel that failed last, empty if none did. */
    public static String lastFault()
    {
        final ByteBuffer text = ByteBuffer.allocateDirect(MAX_FAULT_BYTES);
        text.limit(Math.min(MAX_FAULT_BYTES, fault0(address(text), MAX_FAULT_BYTES)));
        return StandardCharsets.UTF_8.decode(text).toString();
    }

    private static ByteBuffer text(final String name)
    {
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocateDirect(bytes.length + 1).put(bytes).put((byte)0);
    }

    private static long address(final ByteBuffer buffer)
    {
        return new UnsafeBuffer(buffer).addressOffset();
    }

    private static native void reset0();

    private static native void mode0(int mode, long seed, int maxDelayMicros);

    private static native void order0(int order, long seed);

    private static native void quantum0(long copyBytes, boolean blocks);

    private static native boolean kernels0(long library);

    private static native void devices0(int count);

    private static native void memory0(long bytes);

    private static native void streamWrites0(boolean offered);

    private static native void driverVersion0(int version);

    private static native void attribute0(int attribute, int value);

    private static native int runnable0();

    private static native int runnableStream0(int choice);

    private static native int advance0(int choice);

    private static native boolean advanceStream0(int stream);

    private static native void fail0(long name, int calls, int code);

    private static native void failLaunch0(int launches, int code);

    private static native void stall0(int launches, int copies);

    private static native void stallDevice0(int device);

    private static native void hang0(long name, int calls, long millis);

    private static native void slow0(long name, long millis);

    private static native void release0();

    private static native int blocked0();

    private static native long count0(int what);

    private static native long calls0(long name);

    private static native int fault0(long target, int capacity);

    /** Orders that a kernel may not depend on. */
    public enum Order
    {
        FORWARD,
        REVERSED,
        PERMUTED
    }

    /** Counters; a live object counts until it is given back, whatever happens to its context. */
    public enum Count
    {
        DEVICE_ALLOCATIONS,
        PINNED_ALLOCATIONS,
        STREAMS,
        EVENTS,
        GRAPHS,
        MODULES,
        BYTES_TO_DEVICE,
        BYTES_TO_HOST,
        HOST_FUNCTIONS,
        CONTEXTS
    }
}
