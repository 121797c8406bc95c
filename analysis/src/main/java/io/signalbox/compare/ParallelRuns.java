// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Simulations of which several run at a time. The first failure, in the order of the runs, ends all of them. */
public final class ParallelRuns
{
    private volatile boolean abandoned;

    /**
     * Runs until every run has ended.
     *
     * @param workers threads, at least 1.
     */
    public void run(final List<Runnable> runs, final int workers)
    {
        final ExecutorService threads = Executors.newFixedThreadPool(workers, task ->
        {
            final Thread thread = new Thread(task, "comparison");
            thread.setDaemon(true);
            return thread;
        });
        boolean ended = false;
        try
        {
            final List<Future<?>> started = new ArrayList<>();
            runs.forEach(run -> started.add(threads.submit(run)));
            await(started);
            ended = true;
        }
        finally
        {
            abandoned = !ended;
            threads.shutdownNow();
        }
    }

    private static void await(final List<Future<?>> runs)
    {
        try
        {
            for (final Future<?> run : runs)
            {
                run.get();
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new CancellationException("the comparison was interrupted");
        }
        catch (final ExecutionException e)
        {
            if (e.getCause() instanceof Error error)
            {
                throw error;
            }
            throw (RuntimeException)e.getCause();
        }
    }

    /** Called by a run under way: ends it after another run has failed. */
    public void stopIfAbandoned()
    {
        if (abandoned)
        {
            throw new CancellationException("another run of the comparison has failed");
        }
    }
}
