// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.engine.GroupListener;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;

import java.util.concurrent.locks.LockSupport;

/**
 * Sees each first token when it has become visible in its handle, and measures from the intended time of its request.
 * Requests have consecutive ids from 1 on, and generate one token.
 */
final class MeasuredFirstTokens extends EventReader implements GroupListener
{
    static final long MAX_NANOS = 60_000_000_000L;
    /** More than requests are ever open. */
    private static final int SLOTS = 1 << 20;

    private final long[] intendedNanos = new long[SLOTS];
    private final StageTimes times;
    private volatile Histogram histogram = new Histogram(MAX_NANOS, 3);
    /** When the last token was seen. */
    private long seenNanos;
    private volatile long ended;
    private volatile Thread waiter;
    private volatile long awaited = Long.MAX_VALUE;

    /** @param times {@code null} if nobody wants stages. */
    MeasuredFirstTokens(final StageTimes times)
    {
        this.times = times;
    }

    /** To be called before the request is submitted. */
    void intended(final long requestId, final long nanos)
    {
        intendedNanos[(int)requestId & (SLOTS - 1)] = nanos;
    }

    /** Requests that have their token. */
    long ended()
    {
        return ended;
    }

    /** When the last of the {@link #ended} requests had its token. */
    long seenNanos()
    {
        return seenNanos;
    }

    /** Waits until so many requests have ended. */
    void awaitEnded(final long count)
    {
        waiter = Thread.currentThread();
        awaited = count;
        while (ended < count)
        {
            LockSupport.parkNanos(this, 1_000_000);
        }
        awaited = Long.MAX_VALUE;
    }

    /** Latencies from here on; to be called while no request is open. */
    void begin()
    {
        histogram = new Histogram(MAX_NANOS, 3);
    }

    Histogram histogram()
    {
        return histogram;
    }

    @Override
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        readGroup(group, offset, length);
    }

    @Override
    protected void onCommit(final CommitView commit)
    {
        if (times != null)
        {
            times.stamp(StageTimes.Stage.VISIBLE);
        }
        final long now = System.nanoTime();
        long tokens = 0;
        for (int entry = 0; entry < commit.entryCount(); entry++)
        {
            if (commit.emitted(entry) > 0)
            {
                final long intended = intendedNanos[(int)commit.requestId(entry) & (SLOTS - 1)];
                histogram.recordValue(Math.max(0, Math.min(MAX_NANOS, now - intended)));
                tokens++;
            }
        }
        seenNanos = now;
        // The only writer.
        ended = ended + tokens;
        if (ended >= awaited)
        {
            LockSupport.unpark(waiter);
        }
    }
}
