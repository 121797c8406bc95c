// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that share the tasks of a stage: any of them takes the next task, and the stage ends when all are done. A task
 * writes what no other task of its stage reads or writes, so the number of threads and the shares never change a bit. The
 * thread that calls {@link #run} works too; one thread at a time calls it.
 */
public final class WorkTeam implements AutoCloseable
{
    private static final int SPINS = 500;

    /** Part of a stage. */
    interface Task
    {
        /** @param worker the number of the thread that runs it, from 0; two tasks at one time have different ones. */
        void run(int index, int worker);
    }

    private static final class Stage
    {
        /** {@code null} after all tasks, so that an idle team does not retain weights. */
        private Task task;
        private final int tasks;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger done = new AtomicInteger();
        private final AtomicReference<Throwable> fault = new AtomicReference<>();

        private Stage(final Task task, final int tasks)
        {
            this.task = task;
            this.tasks = tasks;
        }

        private void work(final int worker)
        {
            for (int index = next.getAndIncrement(); index < tasks; index = next.getAndIncrement())
            {
                try
                {
                    task.run(index, worker);
                }
                catch (final RuntimeException | Error e)
                {
                    fault.compareAndSet(null, e);
                }
                done.incrementAndGet();
            }
        }
    }

    private final List<Worker> workers = new ArrayList<>();
    private volatile Stage current;
    private volatile boolean closed;

    /** @param threads at least 1, the caller's included. */
    public WorkTeam(final int threads, final String name)
    {
        try
        {
            for (int worker = 1; worker < threads; worker++)
            {
                final Worker made = new Worker(worker, name + "-" + worker);
                made.start();
                workers.add(made);
            }
        }
        catch (final RuntimeException | Error e)
        {
            close();
            throw e;
        }
    }

    /** Threads, the caller's included. */
    int size()
    {
        return 1 + workers.size();
    }

    /** Runs all tasks and returns when they are done; throws what the first failing one threw. */
    void run(final int tasks, final Task task)
    {
        final Stage stage = new Stage(task, tasks);
        if (tasks > 1)
        {
            current = stage;
            workers.forEach(Worker::wake);
        }
        stage.work(0);
        for (int spins = 0; stage.done.get() < tasks; spins++)
        {
            if (spins < SPINS)
            {
                Thread.onSpinWait();
            }
            else
            {
                Thread.yield();
            }
        }
        stage.task = null;
        final Throwable fault = stage.fault.get();
        if (fault instanceof Error error)
        {
            throw error;
        }
        if (fault != null)
        {
            throw (RuntimeException)fault;
        }
    }

    @Override
    public void close()
    {
        closed = true;
        workers.forEach(LockSupport::unpark);
        for (final Worker worker : workers)
        {
            boolean interrupted = false;
            while (worker.isAlive())
            {
                try
                {
                    worker.join();
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

    private final class Worker extends Thread
    {
        private final int number;
        private volatile boolean parked;

        private Worker(final int number, final String name)
        {
            super(name);
            this.number = number;
            setDaemon(true);
        }

        private void wake()
        {
            if (parked)
            {
                LockSupport.unpark(this);
            }
        }

        @Override
        public void run()
        {
            Stage last = null;
            while (!closed)
            {
                final Stage stage = current;
                if (stage != last)
                {
                    stage.work(number);
                    last = stage;
                }
                else
                {
                    await(last);
                }
            }
        }

        private void await(final Stage last)
        {
            for (int spins = 0; spins < SPINS; spins++)
            {
                if (current != last)
                {
                    return;
                }
                Thread.onSpinWait();
            }
            parked = true;
            while (current == last && !closed)
            {
                LockSupport.park(WorkTeam.this);
            }
            parked = false;
        }
    }
}
