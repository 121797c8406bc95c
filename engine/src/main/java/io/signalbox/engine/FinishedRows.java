// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.request.UntakenEnds;
import io.signalbox.engine.ring.Nanos;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RequestRows;
import io.signalbox.scheduler.RowHandover;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The rows of requests that have ended, handed from the scheduler thread to the client that takes them. If untaken rows
 * exceed the bound, the oldest are to be discarded. Rows that a client has asked for are kept: it may be copying them.
 */
final class FinishedRows
{
    static final long NO_REQUEST = RowHandover.NO_REQUEST;
    static final long NO_BOUND = Long.MAX_VALUE;
    /** Cost of an ended request beside its rows, so that requests without rows are bounded as well. */
    private static final long REQUEST_BYTES = 1024;

    private final long pageBytes;
    private final long maxBytes;
    /** 0: no limit. */
    private final long maxAgeNanos;
    private final Long2ObjectHashMap<Entry> entries = new Long2ObjectHashMap<>();
    private final Entry ends = new Entry(NO_REQUEST, null, 0, 0);
    /** Written under the lock, by the scheduler thread, and read without it: a thread that asks holds nobody up. */
    private volatile int requests;
    private volatile long bytes;
    private volatile long discardedRequests;

    /**
     * @param maxBytes    {@link #NO_BOUND} to keep all rows, however large.
     * @param maxAgeNanos 0 to keep all rows, however old.
     */
    FinishedRows(final SchedulerConfig config, final long maxBytes, final long maxAgeNanos)
    {
        this.maxAgeNanos = maxAgeNanos;
        pageBytes = pageBytes(config);
        this.maxBytes = maxBytes;
    }

    private static long pageBytes(final SchedulerConfig config)
    {
        final ModelShape shape = config.capture();
        return shape == null ? 0 : (long)shape.rowBytes() * config.blockSizeTokens();
    }

    /** The most bytes that the rows of an ended request with so many tokens can hold. */
    static long mostBytes(final SchedulerConfig config, final long tokens)
    {
        return REQUEST_BYTES + (tokens / config.blockSizeTokens() + 1) * pageBytes(config);
    }

    /** Records the requests that the last input ended, and the rows that it released. */
    void update(final Scheduler scheduler)
    {
        final RowHandover handover = scheduler.rowHandover();
        if (handover.waitingCount() == 0 && handover.released() == NO_REQUEST)
        {
            return;
        }
        synchronized (this)
        {
            for (int i = 0; i < handover.waitingCount(); i++)
            {
                add(handover.waiting(i), scheduler.rows(handover.waiting(i)), scheduler.timeNanos());
            }
            remove(handover.released());
        }
    }

    /** Records the requests that had ended when a run was left. */
    synchronized void resume(final Scheduler scheduler, final UntakenEnds ends)
    {
        ends.timesNanos().forEach((requestId, timeNanos) ->
        {
            final RequestRows rows = scheduler.rows(requestId);
            // Without capture there are none.
            if (rows != null)
            {
                add(requestId, rows, timeNanos);
            }
        });
    }

    private void add(final long requestId, final RequestRows rows, final long endedNanos)
    {
        final Entry entry = new Entry(requestId, rows, REQUEST_BYTES + rows.pageCount() * pageBytes, endedNanos);
        entries.put(requestId, entry);
        entry.insertBefore(ends);
        requests = entries.size();
        bytes = bytes + entry.bytes;
    }

    private void remove(final long requestId)
    {
        final Entry entry = entries.remove(requestId);
        if (entry != null)
        {
            entry.unlink();
            requests = entries.size();
            bytes = bytes - entry.bytes;
            discardedRequests = discardedRequests + (entry.state == State.DISCARDED ? 1 : 0);
        }
    }

    /** The rows of the request, which now stay until they are released, or null. */
    synchronized RequestRows take(final long requestId)
    {
        final Entry entry = entries.get(requestId);
        if (entry == null || entry.state == State.DISCARDED)
        {
            return null;
        }
        entry.state = State.TAKEN;
        return entry.rows;
    }

    /** Undoes {@link #take}: the rows may be discarded again. Does nothing if they were not taken. */
    synchronized void giveBack(final long requestId)
    {
        final Entry entry = entries.get(requestId);
        if (entry != null && entry.state == State.TAKEN)
        {
            entry.state = State.WAITING;
        }
    }

    /**
     * The next request whose untaken rows are to be discarded, or {@link #NO_REQUEST}.
     *
     * @param nowNanos logical time.
     */
    long nextToDiscard(final long nowNanos)
    {
        if (maxBytes == NO_BOUND && maxAgeNanos == 0)
        {
            return NO_REQUEST;
        }
        synchronized (this)
        {
            final Entry oldest = oldestWaiting();
            if (oldest == null || bytes <= maxBytes && !isTooOld(oldest, nowNanos))
            {
                return NO_REQUEST;
            }
            oldest.state = State.DISCARDED;
            return oldest.requestId;
        }
    }

    private Entry oldestWaiting()
    {
        for (Entry entry = ends.next; entry != ends; entry = entry.next)
        {
            if (entry.state == State.WAITING)
            {
                return entry;
            }
        }
        return null;
    }

    private boolean isTooOld(final Entry entry, final long nowNanos)
    {
        return maxAgeNanos > 0 && nowNanos - entry.endedNanos >= maxAgeNanos;
    }

    /** When the next rows are too old; {@link Long#MAX_VALUE} if none will be. */
    long nextTooOldNanos()
    {
        if (maxAgeNanos == 0)
        {
            return Long.MAX_VALUE;
        }
        synchronized (this)
        {
            final Entry oldest = oldestWaiting();
            return oldest == null ? Long.MAX_VALUE : Nanos.sum(oldest.endedNanos, maxAgeNanos);
        }
    }

    /** Counts the rows that ended requests hold now. Waits for nobody. */
    SignalboxEngine.UntakenRowCount count()
    {
        return new SignalboxEngine.UntakenRowCount(requests, bytes, discardedRequests);
    }

    /** Explains why the rows of a request are absent. */
    synchronized String describeDiscards()
    {
        final String age = maxAgeNanos == 0 ? "" : ", or for longer than maxUntakenRowsAgeNanos=" + maxAgeNanos;
        return "ended requests held more than maxUntakenRowsBytes=" + maxBytes + " of rows that nobody took" + age +
            ", so the oldest were discarded, of " + discardedRequests + " requests so far";
    }

    /** State of the rows of one request. */
    private enum State
    {
        WAITING, TAKEN, DISCARDED
    }

    /** The rows of one request, in a ring in the order in which the requests ended. */
    private static final class Entry
    {
        private final long requestId;
        private final RequestRows rows;
        private final long bytes;
        private final long endedNanos;
        private State state = State.WAITING;
        private Entry previous = this;
        private Entry next = this;

        Entry(final long requestId, final RequestRows rows, final long bytes, final long endedNanos)
        {
            this.endedNanos = endedNanos;
            this.requestId = requestId;
            this.rows = rows;
            this.bytes = bytes;
        }

        void insertBefore(final Entry other)
        {
            previous = other.previous;
            next = other;
            previous.next = this;
            other.previous = this;
        }

        void unlink()
        {
            previous.next = next;
            next.previous = previous;
        }
    }
}
