// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import java.util.Locale;

/**
 * The memory that a run may take, and advice that stays within it.
 *
 * @param heapBytes   the largest heap of this JVM.
 * @param memoryBytes the memory of this machine, or of its container if that has less.
 * @param regionBytes the collector gives whole regions of this size to large arrays; 0: it does not use regions.
 */
public record HeapLimits(long heapBytes, long memoryBytes, long regionBytes)
{
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    /** The JVM itself: classes, compiled code, threads, buffers of files. */
    private static final long JVM_BYTES = 120L << 20;
    /** Tables of the collector, per bytes of heap. */
    private static final int COLLECTOR_SHARE = 16;
    private static final int ARRAY_HEADER_BYTES = 16;
    private static final String OPTION = "JDK_JAVA_OPTIONS=-Xmx";

    /** Limits without regions. */
    public HeapLimits(final long heapBytes, final long memoryBytes)
    {
        this(heapBytes, memoryBytes, 0);
    }

    /** The largest heap that fits into the memory next to the JVM. */
    public long largestHeap()
    {
        return Math.max(0, memoryBytes - JVM_BYTES) / (COLLECTOR_SHARE + 1) * COLLECTOR_SHARE;
    }

    /**
     * Bytes of live objects that the process can hold. If the largest heap exceeds the memory, garbage can fill the memory,
     * and the system then kills the process. So such a heap counts as half of the largest heap that fits.
     */
    public long usableHeap()
    {
        return fits() ? heapBytes : largestHeap() / 2;
    }

    /** Whether the memory holds the largest heap of this JVM. */
    public boolean fits()
    {
        return heapBytes <= largestHeap();
    }

    /** The memory that a machine or container needs for a heap of this size. */
    public static long memoryFor(final long heap)
    {
        return heap + heap / COLLECTOR_SHARE + JVM_BYTES + 1;
    }

    /** Heap that an array of this size takes. */
    public long arrayBytes(final long bytes)
    {
        final long size = bytes + ARRAY_HEADER_BYTES;
        return regionBytes == 0 || size < regionBytes / 2 ? size : (size + regionBytes - 1) / regionBytes * regionBytes;
    }

    /** The reason of {@link #usableHeap}, as a clause. */
    public String text()
    {
        return fits() ? "the Java heap has " + size(heapBytes) : "the Java heap of " + size(heapBytes) +
            " does not fit into the " + size(memoryBytes) + " of this machine or container";
    }

    /** Advice for a run that needs this many bytes, as the last alternative of a list. */
    public String larger(final long need)
    {
        return need > largestHeap() ?
            "or a machine or container with at least " + size(memoryFor(need)) + " of memory" :
            "or a " + (fits() ? "larger heap" : "heap that fits") + ", for example with " + heapOption(need);
    }

    /** An environment variable that sets a heap of this size, or of up to twice the size if the memory has room. */
    public String heapOption(final long least)
    {
        final long heap = Math.max(least, Math.min(2 * least, largestHeap()));
        return OPTION + (heap / GIB * GIB >= least ? heap / GIB + "g" : Math.max(heap / MIB, roundedUp(least)) + "m");
    }

    private static long roundedUp(final long bytes)
    {
        return (bytes + MIB - 1) / MIB;
    }

    /** Bytes in words, such as 1.5 GiB. */
    public static String size(final long bytes)
    {
        return bytes < GIB ? String.format(Locale.ROOT, "%.1f MiB", bytes / (double)MIB) :
            String.format(Locale.ROOT, "%.1f GiB", bytes / (double)GIB);
    }
}
