// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.CommandFailure;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;

import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * Detects that a plug-in ends the process with {@code System.exit}. The command did not end, so the exit code of the plug-in
 * must not count. An end by a signal is not affected.
 */
final class ForeignExit
{
    /** For other threads that conclude a stopped run. */
    private static final long GRACE_MILLIS = 10_000;

    private static final Set<String> EXITING = Set.of("java.lang.System", "java.lang.Runtime");

    private ForeignExit()
    {
    }

    /**
     * Call this before a command runs.
     *
     * @param halt ends the process with an exit code while other threads are in a shutdown.
     */
    static void watch(final Console console, final String command, final IntConsumer halt)
    {
        final Thread watch = new Thread(() ->
        {
            final String culprit = culprit(Thread.getAllStackTraces());
            if (culprit != null)
            {
                halt.accept(conclude(console, command, culprit));
            }
        }, "foreign-exit");
        Runtime.getRuntime().addShutdownHook(watch);
    }

    private static int conclude(final Console console, final String command, final String culprit)
    {
        final int exitCode = new CommandFailure(ExitCode.BAD_INPUT, "the class " + culprit + " called System.exit before " +
            "the command ended; report it to the author of the plug-in, or leave the plug-in out.").print(console, command);
        for (final Thread thread : Thread.getAllStackTraces().keySet())
        {
            awaitConclusion(thread);
        }
        return exitCode;
    }

    /** The other threads of a shutdown print the state of a stopped run. */
    private static void awaitConclusion(final Thread thread)
    {
        if (!thread.getName().startsWith("stop"))
        {
            return;
        }
        try
        {
            thread.join(GRACE_MILLIS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** The class that called {@code System.exit} or {@code Runtime.exit}; {@code null}: the program itself, or a signal. */
    static String culprit(final Map<Thread, StackTraceElement[]> threads)
    {
        for (final StackTraceElement[] stack : threads.values())
        {
            for (int i = 0; i + 1 < stack.length; i++)
            {
                final boolean isExit = stack[i].getMethodName().equals("exit") && EXITING.contains(stack[i].getClassName());
                final String caller = stack[i + 1].getClassName();
                if (isExit && !caller.startsWith("java.lang.") && !caller.equals(Main.class.getName()))
                {
                    return caller;
                }
            }
        }
        return null;
    }
}
