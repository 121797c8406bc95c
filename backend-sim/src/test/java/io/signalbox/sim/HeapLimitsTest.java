// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HeapLimitsTest
{
    private static final long MIB = 1L << 20;
    private static final String OPTION = "or a larger heap, for example with JDK_JAVA_OPTIONS=-Xmx";

    @Property
    void shouldNeverAdviseMoreThanTheMemory(
        @ForAll @LongRange(min = 0, max = 1L << 40) final long memory,
        @ForAll @LongRange(min = 1, max = 1L << 40) final long need)
    {
        final HeapLimits limits = new HeapLimits(0, memory);
        final String advice = limits.larger(need);
        if (need > limits.largestHeap())
        {
            assertTrue(advice.startsWith("or a machine or container with at least "), advice);
            assertTrue(new HeapLimits(0, HeapLimits.memoryFor(need)).largestHeap() >= need - 16, "its remedy does not help");
            return;
        }
        final String heap = advice.substring(OPTION.length());
        final long bytes = Long.parseLong(heap.substring(0, heap.length() - 1)) * (heap.endsWith("g") ? 1024 * MIB : MIB);
        assertTrue(bytes >= need, advice);
        assertTrue(bytes < limits.largestHeap() + MIB, advice);
    }

    @Test
    void shouldGiveWholeRegionsToLargeArrays()
    {
        final HeapLimits limits = new HeapLimits(0, 0, MIB);
        assertEquals(MIB / 2 - 1, limits.arrayBytes(MIB / 2 - 17));
        assertEquals(MIB, limits.arrayBytes(MIB / 2 - 16));
        assertEquals(2 * MIB, limits.arrayBytes(MIB));
        assertEquals(MIB + 16, new HeapLimits(0, 0).arrayBytes(MIB));
    }

    @Test
    void shouldNameTheSmallerLimit()
    {
        assertEquals("the Java heap has 64.0 MiB", new HeapLimits(64 * MIB, 1024 * MIB).text());
        final HeapLimits tooLarge = new HeapLimits(2048 * MIB, 256 * MIB);
        assertEquals("the Java heap of 2.0 GiB does not fit into the 256.0 MiB of this machine or container",
            tooLarge.text());
        assertEquals(64 * MIB, tooLarge.usableHeap());
        assertEquals("or a heap that fits, for example with JDK_JAVA_OPTIONS=-Xmx128m", tooLarge.larger(100 * MIB));
        assertEquals(0, new HeapLimits(MIB, MIB).usableHeap());
    }
}
