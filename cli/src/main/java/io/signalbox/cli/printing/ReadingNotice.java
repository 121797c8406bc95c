// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import io.signalbox.journal.ReadProgress;

import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Tells on standard error how far a long reading is: a line that is redrawn on a terminal, else a new line from time to
 * time. Nothing for a reading that is over soon.
 */
public final class ReadingNotice implements ReadProgress, AutoCloseable
{
    private static final long REDRAW_NANOS = 500_000_000L;
    private static final long LINE_NANOS = 10_000_000_000L;

    private final Console console;
    private final String command;
    private final LongSupplier nanoClock;
    private final ProgressLine line;
    private long toldNanos;

    public ReadingNotice(final Console console, final String command)
    {
        this(console, command, System::nanoTime);
    }

    public ReadingNotice(final Console console, final String command, final LongSupplier nanoClock)
    {
        this.console = console;
        this.command = command;
        this.nanoClock = nanoClock;
        line = new ProgressLine(console.err());
        toldNanos = nanoClock.getAsLong();
    }

    @Override
    public void onRead(final Path file, final long position, final long length)
    {
        final long nowNanos = nanoClock.getAsLong();
        if (nowNanos - toldNanos < (console.terminal() ? REDRAW_NANOS : LINE_NANOS))
        {
            return;
        }
        toldNanos = nowNanos;
        final String text = "reading " + file + ": " + Decimals.bytes(position) + " of " + Decimals.bytes(length);
        if (console.terminal())
        {
            line.show(text);
        }
        else
        {
            console.err().println(command + ": " + text);
        }
    }

    @Override
    public void close()
    {
        line.wipe();
    }
}
