// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A bounded number of batches that go round between two threads: one fills them, the other one empties them, in the same
 * order. An interrupt of a thread that waits is kept for its caller.
 */
final class BatchRing
{
    private static final int BATCHES = 4;

    private final BlockingQueue<GroupBatch> filled = new ArrayBlockingQueue<>(BATCHES);
    private final BlockingQueue<GroupBatch> emptied = new ArrayBlockingQueue<>(BATCHES);

    BatchRing()
    {
        for (int i = 0; i < BATCHES; i++)
        {
            emptied.add(new GroupBatch());
        }
    }

    /** Waits for a batch to fill. */
    GroupBatch takeEmpty()
    {
        final GroupBatch batch = take(emptied);
        batch.clear();
        return batch;
    }

    void handOn(final GroupBatch batch)
    {
        filled.add(batch);
    }

    /** Waits for a batch to empty. */
    GroupBatch takeFilled()
    {
        return take(filled);
    }

    void giveBack(final GroupBatch batch)
    {
        emptied.add(batch);
    }

    /** Takes back what is filled and was not taken, so that the thread that fills does not wait. */
    void drop()
    {
        GroupBatch batch = filled.poll();
        while (batch != null)
        {
            giveBack(batch);
            batch = filled.poll();
        }
    }

    private static GroupBatch take(final BlockingQueue<GroupBatch> queue)
    {
        boolean interrupted = false;
        try
        {
            while (true)
            {
                try
                {
                    return queue.take();
                }
                catch (final InterruptedException e)
                {
                    interrupted = true;
                }
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

    /** Waits for the end of the other thread. */
    static void await(final Thread thread)
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
