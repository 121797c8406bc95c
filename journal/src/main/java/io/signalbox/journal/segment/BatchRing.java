// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import java.util.ArrayDeque;

/**
 * A bounded number of batches that go round between two threads: one fills them, the other one empties them, in the same
 * order. A thread that has to wait continues when there are some batches for it, because each time it is woken costs both
 * threads. An interrupt of a thread that waits is kept for its caller.
 */
public final class BatchRing
{
    public static final int BATCHES = 16;
    /** A waiting thread is woken for so many. The other one has three times as many left and continues meanwhile. */
    private static final int WORTH_WAKING = BATCHES / 4;

    private final ArrayDeque<GroupBatch> filled = new ArrayDeque<>(BATCHES);
    /** Those that were emptied last are filled first, because caches may still have them. */
    private final ArrayDeque<GroupBatch> emptied = new ArrayDeque<>(BATCHES);
    /** The last batch was handed on. */
    private boolean ended;

    public BatchRing()
    {
        for (int i = 0; i < BATCHES; i++)
        {
            emptied.add(new GroupBatch());
        }
    }

    /** Waits for a batch to fill. */
    public GroupBatch takeEmpty()
    {
        final GroupBatch batch = take(emptied);
        batch.clear();
        return batch;
    }

    public synchronized void handOn(final GroupBatch batch)
    {
        filled.add(batch);
        ended = batch.isLast();
        wakeIfWorthIt(filled);
    }

    /** Waits for a batch to empty. */
    public GroupBatch takeFilled()
    {
        return take(filled);
    }

    public synchronized void giveBack(final GroupBatch batch)
    {
        emptied.addFirst(batch);
        wakeIfWorthIt(emptied);
    }

    /** Takes back what is filled and was not taken, so that the thread that fills does not wait. */
    public synchronized void drop()
    {
        emptied.addAll(filled);
        filled.clear();
        wakeIfWorthIt(emptied);
    }

    /** Only one of the two threads can be waiting, since all batches are with the other one, or on their way to it. */
    private void wakeIfWorthIt(final ArrayDeque<GroupBatch> batches)
    {
        if (isWorthIt(batches))
        {
            notifyAll();
        }
    }

    private boolean isWorthIt(final ArrayDeque<GroupBatch> batches)
    {
        return ended || batches.size() >= WORTH_WAKING;
    }

    private GroupBatch take(final ArrayDeque<GroupBatch> batches)
    {
        boolean interrupted = false;
        try
        {
            synchronized (this)
            {
                interrupted = batches.isEmpty() && awaitSome(batches);
                return batches.remove();
            }
        }
        finally
        {
            if (interrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns whether the thread was interrupted meanwhile. */
    private boolean awaitSome(final ArrayDeque<GroupBatch> batches)
    {
        boolean interrupted = false;
        do
        {
            try
            {
                wait();
            }
            catch (final InterruptedException e)
            {
                interrupted = true;
            }
        }
        while (!isWorthIt(batches));
        return interrupted;
    }

    /** Waits for the end of the other thread. */
    public static void await(final Thread thread)
    {
        boolean interrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException e)
            {
                interrupted = true;
            }
        }
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
    }
}
