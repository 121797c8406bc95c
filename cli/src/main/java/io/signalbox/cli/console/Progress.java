// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Shows the progress of a long task on standard error: a bar and the remaining time. On a terminal one line is redrawn
 * and cleared at the end. Otherwise a line is printed periodically if the user asked for progress. Thread-safe.
 */
public final class Progress implements AutoCloseable
{
    private static final long FIRST_NANOS = 500_000_000L;
    private static final long REDRAW_NANOS = 200_000_000L;
    private static final long LINE_NANOS = 5_000_000_000L;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long LATEST_NANOS = 10_000_000_000L;
    private static final int FIRST_SHARE = 20;
    private static final int BAR_CELLS = 20;
    private static final String WIPE = "\r\u001b[K";

    private final Console console;
    private final String command;
    private final boolean visible;
    private final LongSupplier nanoClock;
    private final long startNanos;
    private long nextNanos;
    private boolean drawn;

    /**
     * @param command begins each line that is not on a terminal.
     * @param asked   shows progress even if standard error is not a terminal.
     */
    public Progress(final Console console, final String command, final boolean asked)
    {
        this(console, command, asked, System::nanoTime);
    }

    Progress(final Console console, final String command, final boolean asked, final LongSupplier nanoClock)
    {
        this.console = console;
        this.command = command;
        this.nanoClock = nanoClock;
        visible = asked || console.terminal();
        startNanos = nanoClock.getAsLong();
        nextNanos = startNanos + (console.terminal() ? FIRST_NANOS : LINE_NANOS);
    }

    /**
     * Shows the state if the last one was shown long enough ago.
     *
     * @param done  units of work that are done.
     * @param total units of work; 0 or less than {@code done} if the total is unknown.
     * @param text  makes the state in words, if it is shown.
     */
    public synchronized void show(final long done, final long total, final Supplier<String> text)
    {
        if (visible && nanoClock.getAsLong() - nextNanos >= 0)
        {
            showNow(done, total, text.get());
        }
    }

    /** Shows the state at once, for tasks that report rarely. */
    public synchronized void showNow(final long done, final long total, final String text)
    {
        if (!visible)
        {
            return;
        }
        final long nowNanos = nanoClock.getAsLong();
        final String state = state(done, total, text, nowNanos - startNanos);
        nextNanos = nowNanos + (console.terminal() ? REDRAW_NANOS : LINE_NANOS);
        if (!console.terminal())
        {
            console.err().println(command + ": " + state);
            return;
        }
        // A line that wraps cannot be cleared.
        final String line = done <= total && total > 0 ? bar(done, total) + " " + state : state;
        console.err().print(WIPE + line.substring(0, Math.min(line.length(), console.columns() - 1)));
        console.err().flush();
        drawn = true;
    }

    private static String state(final long done, final long total, final String text, final long elapsedNanos)
    {
        if (done > total || total <= 0)
        {
            return text + ", " + duration(elapsedNanos);
        }
        final String percent = (int)(100.0 * done / total) + " %, ";
        // The first per cent of a task, in a JVM that still warms up, does not predict the rest.
        final boolean known = done > 0 &&
            (elapsedNanos >= NANOS_PER_SECOND && done >= total / FIRST_SHARE || elapsedNanos >= LATEST_NANOS);
        return percent + (known ? duration((long)((double)elapsedNanos / done * (total - done))) + " left, " : "") + text;
    }

    private static String bar(final long done, final long total)
    {
        final int full = (int)((double)BAR_CELLS * done / total);
        return "[" + "#".repeat(full) + "-".repeat(BAR_CELLS - full) + "]";
    }

    /** {@code 7 s}, {@code 3 min 20 s} or {@code 2 h 5 min}. */
    static String duration(final long nanos)
    {
        final long seconds = (nanos + NANOS_PER_SECOND / 2) / NANOS_PER_SECOND;
        if (seconds < 60)
        {
            return seconds + " s";
        }
        return seconds < 3600
            ? seconds / 60 + " min " + seconds % 60 + " s" : seconds / 3600 + " h " + seconds / 60 % 60 + " min";
    }

    /** Clears the line; a later state draws it again. */
    public synchronized void wipe()
    {
        if (drawn)
        {
            console.err().print(WIPE);
            console.err().flush();
            drawn = false;
        }
    }

    @Override
    public void close()
    {
        wipe();
    }
}
