// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.Arrays;

/** The requests whose rows the last input handed over to the client, and the request whose rows it released. */
public final class RowHandover
{
    public static final long NO_REQUEST = Long.MIN_VALUE;

    private long[] waiting = new long[16];
    private int waitingCount;
    private long released = NO_REQUEST;

    void clear()
    {
        waitingCount = 0;
        released = NO_REQUEST;
    }

    void waits(final long requestId)
    {
        if (waitingCount == waiting.length)
        {
            waiting = Arrays.copyOf(waiting, 2 * waitingCount);
        }
        waiting[waitingCount++] = requestId;
    }

    void released(final long requestId)
    {
        released = requestId;
    }

    /** Number of requests that the last input ended and whose rows are kept for the client. */
    public int waitingCount()
    {
        return waitingCount;
    }

    public long waiting(final int index)
    {
        return waiting[index];
    }

    /** The request whose rows the last input released, or {@link #NO_REQUEST}. */
    public long released()
    {
        return released;
    }
}
