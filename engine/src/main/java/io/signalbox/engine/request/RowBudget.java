// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import io.signalbox.engine.ring.Waits;
import org.agrona.collections.Long2LongHashMap;

/**
 * Bytes that the rows of requests may hold from their submit until they are released. A request reserves the most that its
 * rows can need, so the bound holds whatever requests do. Thread-safe.
 */
public final class RowBudget
{
    private static final long NONE = -1;

    private final long maxBytes;
    private final Long2LongHashMap reserved = new Long2LongHashMap(NONE);
    private long bytes;
    private boolean ended;

    public RowBudget(final long maxBytes)
    {
        this.maxBytes = maxBytes;
    }

    /** Waits up to the timeout until the bytes are free. Returns false if they were not, or nobody frees any more. */
    public synchronized boolean reserve(final long requestId, final long wanted, final long timeoutNanos)
        throws InterruptedException
    {
        if (bytes + wanted > maxBytes && timeoutNanos > 0)
        {
            final Waits wait = Waits.begin(Waits.ROWS);
            awaitRoom(wanted, timeoutNanos);
            wait.end();
        }
        if (bytes + wanted > maxBytes)
        {
            return false;
        }
        take(requestId, wanted);
        return true;
    }

    private void awaitRoom(final long wanted, final long timeoutNanos) throws InterruptedException
    {
        final long start = System.nanoTime();
        long left = timeoutNanos;
        while (bytes + wanted > maxBytes && !ended && left > 0)
        {
            wait(left / 1_000_000, (int)(left % 1_000_000));
            left = timeoutNanos - (System.nanoTime() - start);
        }
    }

    /** Reserves the bytes, also above the bound. */
    public synchronized void take(final long requestId, final long wanted)
    {
        reserved.put(requestId, wanted);
        bytes += wanted;
    }

    /** Frees what the request has reserved, if it has. */
    public synchronized void free(final long requestId)
    {
        final long freed = reserved.remove(requestId);
        if (freed != NONE)
        {
            bytes -= freed;
            notifyAll();
        }
    }

    /** The engine stopped: nobody waits any more. */
    public synchronized void end()
    {
        ended = true;
        notifyAll();
    }
}
