// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Threads of this process that were given up inside a call of the driver. Java cannot call a thread back from native code,
 * and a process that has such threads may not get past the driver's own exit handlers.
 */
public final class StuckThreads
{
    private static final String BINDING = "jcuda.";
    private static final String NATIVE = "Native";
    private static final Set<Thread> GIVEN_UP = ConcurrentHashMap.newKeySet();
    private static volatile boolean deviceLeft;

    private StuckThreads()
    {
    }

    /** From here on nobody waits for the thread. */
    public static void add(final Thread thread)
    {
        GIVEN_UP.add(thread);
    }

    /** From here on nobody waits for a device: it still had work after its limit. */
    public static void leaveDevice()
    {
        deviceLeft = true;
    }

    /** Whether the driver's own exit handlers may keep an ordinary end of this process waiting. */
    public static boolean mayKeepProcess()
    {
        return deviceLeft || any();
    }

    /** Whether a thread that was given up has not come back since. */
    public static boolean any()
    {
        GIVEN_UP.removeIf(thread -> !thread.isAlive());
        return !GIVEN_UP.isEmpty();
    }

    /** The driver call in which a thread is now, such as {@code cuInit}; otherwise its innermost method. */
    public static String place(final Thread thread)
    {
        final StackTraceElement[] frames = thread.getStackTrace();
        for (final StackTraceElement frame : frames)
        {
            if (frame.getClassName().startsWith(BINDING))
            {
                final String name = frame.getMethodName();
                return name.endsWith(NATIVE) ? name.substring(0, name.length() - NATIVE.length()) : name;
            }
        }
        return frames.length == 0 ? "its end" : frames[0].getClassName() + "." + frames[0].getMethodName();
    }
}
