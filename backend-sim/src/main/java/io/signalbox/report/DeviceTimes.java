// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

/**
 * How long the device of one rank computed, and how long it was idle between two steps although the second was planned no
 * later than the first one's results reached the host: the time that steps in flight are meant to save.
 */
final class DeviceTimes
{
    /** Steps whose times are kept; above the most that are in flight. */
    private static final int KEPT = 8;
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final long[] plannedNanos = new long[KEPT];
    private final long[] launchedNanos = new long[KEPT];
    private long lastStep = -1;
    private long lastEndNanos;
    private long lastCompletedNanos;
    private long computeNanos;
    private long idleNanos;
    private long gaps;

    void planned(final long step, final long nowNanos)
    {
        plannedNanos[(int)(step % KEPT)] = nowNanos;
    }

    /** The step is in flight, and was perhaps launched already. */
    void begun(final long step, final long nowNanos)
    {
        plannedNanos[(int)(step % KEPT)] = nowNanos;
        launchedNanos[(int)(step % KEPT)] = UNKNOWN;
    }

    void launched(final long step, final long deviceNanos)
    {
        launchedNanos[(int)(step % KEPT)] = deviceNanos;
    }

    /** @param stepNanos how long the device computed the step; 0: not known. */
    void completed(final long step, final long stepNanos, final long nowNanos)
    {
        final int slot = (int)(step % KEPT);
        if (stepNanos > 0)
        {
            if (step == lastStep + 1 && plannedNanos[slot] <= lastCompletedNanos)
            {
                idleNanos += Math.max(0, launchedNanos[slot] - lastEndNanos);
                gaps++;
            }
            computeNanos += stepNanos;
            lastStep = launchedNanos[slot] == UNKNOWN ? -1 : step;
            lastEndNanos = launchedNanos[slot] + stepNanos;
            lastCompletedNanos = nowNanos;
        }
    }

    long computeNanos()
    {
        return computeNanos;
    }

    long idleNanos()
    {
        return idleNanos;
    }

    /** Pairs of such steps. */
    long gaps()
    {
        return gaps;
    }
}
