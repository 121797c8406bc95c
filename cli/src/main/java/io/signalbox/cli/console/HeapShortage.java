// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.ConfigException;
import io.signalbox.printing.Decimals;
import io.signalbox.sim.HeapLimits;

import java.util.function.Supplier;

/** Explains an OutOfMemoryError, which by itself names neither the kind of memory nor its user. */
public final class HeapShortage
{
    private HeapShortage()
    {
    }

    /**
     * Returns the result of {@code making}.
     *
     * @param what   the input that is read or made, as the subject of a sentence.
     * @param remedy advice that makes it smaller, as an imperative.
     * @throws ConfigException if the heap is too small for it.
     */
    public static <T> T named(final String what, final String remedy, final Supplier<T> making)
    {
        try
        {
            return making.get();
        }
        catch (final OutOfMemoryError e)
        {
            if (!isHeap(e))
            {
                throw e;
            }
            throw new ConfigException(
                what + " needs more than the Java heap of " + heap() + "; " + remedy + ", " + larger() + ".");
        }
    }

    /** The whole sentence for an error without further information. */
    public static String sentence(final OutOfMemoryError error)
    {
        final String message = String.valueOf(error.getMessage());
        if (isHeap(error))
        {
            return "the Java heap of " + heap() + " is too small for this run; where the command takes them, give fewer " +
                "ranks or KV blocks, a smaller workload, " + larger() + ".";
        }
        if (message.contains("direct buffer memory") || message.contains("Direct buffer memory"))
        {
            return "the direct memory of the JVM is used up (" + message + "); raise -XX:MaxDirectMemorySize in " +
                "JDK_JAVA_OPTIONS if this machine or container has room, or give fewer ranks or threads.";
        }
        if (message.contains("native thread"))
        {
            return "the system allows this process no further thread; raise its limit ('ulimit -u', or that of the " +
                "container), or use fewer threads.";
        }
        if (message.contains("Map failed"))
        {
            return "the system maps no further file into this process; raise its limits ('ulimit -v', vm.max_map_count), " +
                "or give a smaller heap.";
        }
        if (message.contains("Metaspace") || message.contains("class space"))
        {
            return "the JVM has no room for its classes (" + message + "); leave out -XX:MaxMetaspaceSize and the like.";
        }
        return "the JVM ran out of memory (" + message + "); give it more.";
    }

    private static boolean isHeap(final OutOfMemoryError error)
    {
        final String message = String.valueOf(error.getMessage());
        return message.contains("Java heap space") || message.contains("GC overhead limit") ||
            message.contains("array size exceeds VM limit");
    }

    private static String larger()
    {
        final HeapLimits limits = MachineMemory.limits();
        return limits.larger(limits.heapBytes() + 1);
    }

    private static String heap()
    {
        return Decimals.bytes(Runtime.getRuntime().maxMemory());
    }
}
