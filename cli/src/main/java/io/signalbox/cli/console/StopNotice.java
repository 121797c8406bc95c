// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import java.io.PrintStream;
import java.nio.file.Path;

/** Prints the state of the journal when a user stops a run with Ctrl-C or a signal. */
public final class StopNotice implements AutoCloseable
{
    private final String command;
    private final PrintStream err;
    private Thread hook;

    public StopNotice(final String command, final PrintStream err)
    {
        this.command = command;
        this.err = err;
    }

    /** From this call on, a stopped process leaves a journal that is not closed. */
    public void arm(final Path journal)
    {
        hook = new Thread(() -> err.println(text(command, journal)), "stop-notice");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    public static String text(final String command, final Path journal)
    {
        return "signalbox " + command + ": stopped before the end, so the journal " + journal + " is not closed; " +
            "'signalbox replay " + journal + " --recover' closes it.";
    }

    @Override
    public void close()
    {
        if (hook == null)
        {
            return;
        }
        try
        {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        catch (final IllegalStateException e)
        {
            // The process is being stopped already, and prints the notice.
            hook = null;
        }
    }
}
