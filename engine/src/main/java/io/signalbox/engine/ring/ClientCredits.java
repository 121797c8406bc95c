// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import org.agrona.collections.Long2LongCounterMap;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The right to have an input in the ingress ring. A credit returns when the input that took it has passed; inputs of
 * other publishers do not take or return credits. Threads that submit take credits from the semaphore; the listener thread
 * returns them. One map has the credits of each input; each thread uses the map under its lock.
 */
public final class ClientCredits
{
    private final int count;
    private final Semaphore free;
    private final Long2LongCounterMap underWay = new Long2LongCounterMap(0);

    public ClientCredits(final int count)
    {
        this.count = count;
        free = new Semaphore(count);
    }

    public int count()
    {
        return count;
    }

    /** Returns false when not so many came free in time. A thread that need not wait is not interrupted. */
    public boolean take(final int wanted, final long timeoutNanos) throws InterruptedException
    {
        if (free.tryAcquire(wanted))
        {
            return true;
        }
        if (timeoutNanos <= 0)
        {
            return false;
        }
        final Waits wait = Waits.begin(Waits.CREDIT);
        try
        {
            return free.tryAcquire(wanted, timeoutNanos, TimeUnit.NANOSECONDS);
        }
        finally
        {
            wait.end();
        }
    }

    /** Returns a credit that was not used. */
    public void giveBack()
    {
        giveBack(1);
    }

    /** Returns credits that were not used. */
    public void giveBack(final int unused)
    {
        free.release(unused);
    }

    /** Assigns the credit just taken to the input that names the request. */
    public void sent(final long requestId)
    {
        synchronized (underWay)
        {
            underWay.incrementAndGet(requestId);
        }
    }

    /** An input that names the request has passed, or was refused. */
    public void passed(final long requestId)
    {
        synchronized (underWay)
        {
            if (underWay.get(requestId) == 0)
            {
                return;
            }
            underWay.decrementAndGet(requestId);
        }
        free.release();
    }
}
