// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import io.signalbox.sim.SimulationProgress;

import java.io.PrintStream;

/** One line on the terminal that tells how far a run is, redrawn a few times per second and wiped at the end. */
public final class ProgressLine implements SimulationProgress
{
    private static final long REDRAW_NANOS = 200_000_000L;
    private static final String WIPE = "\r\u001b[K";

    private final PrintStream terminal;
    private long drawnNanos = System.nanoTime();
    private boolean drawn;

    public ProgressLine(final PrintStream terminal)
    {
        this.terminal = terminal;
    }

    @Override
    public void onProgress(final int ended, final int total, final long simulatedNanos)
    {
        final long nowNanos = System.nanoTime();
        if (nowNanos - drawnNanos >= REDRAW_NANOS)
        {
            drawnNanos = nowNanos;
            show(Decimals.grouped(ended) + " of " + Decimals.grouped(total) + " requests, " +
                simulatedNanos / 1_000_000_000L + " s simulated");
        }
    }

    public void show(final String text)
    {
        terminal.print(WIPE + text);
        terminal.flush();
        drawn = true;
    }

    public void wipe()
    {
        if (drawn)
        {
            terminal.print(WIPE);
            terminal.flush();
            drawn = false;
        }
    }
}
