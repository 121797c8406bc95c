// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.serving.WeightSets.StepWeights;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.LongSupplier;

/**
 * One DP rank: a thread launches and computes its steps in their order, and another one reports the results in the same
 * order, so that a report which waits for the engine does not hold up the next step. An error of the JVM, such as an
 * exhausted heap, loses the rank until it is reset.
 */
final class CpuRank
{
    private final int rank;
    private final CpuSteps steps;
    private final CompletionSink sink;
    private final LongSupplier clock;
    private final Thread computing;
    private final Thread reporting;
    private final ArrayDeque<CpuStepPlan> plans = new ArrayDeque<>();
    private final ArrayDeque<CpuStepResults> results = new ArrayDeque<>();
    private boolean busy;
    private String lossCause;
    private boolean closed;

    CpuRank(final int rank, final CpuSteps steps, final CompletionSink sink, final LongSupplier clock)
    {
        this.rank = rank;
        this.steps = steps;
        this.sink = sink;
        this.clock = clock;
        computing = thread("compute", this::compute);
        reporting = thread("report", this::report);
    }

    private Thread thread(final String role, final Runnable work)
    {
        final Thread thread = new Thread(work, "signalbox-cpu-" + role + "-" + rank);
        thread.setDaemon(true);
        return thread;
    }

    void start()
    {
        computing.start();
        reporting.start();
    }

    synchronized void submit(final CpuStepPlan plan)
    {
        plans.add(plan);
        notifyAll();
    }

    /** A step that waits never runs; one that runs ends before the next begins, because one thread computes all. */
    synchronized void abort(final long step)
    {
        for (final Iterator<CpuStepPlan> waiting = plans.iterator(); waiting.hasNext();)
        {
            if (waiting.next().step() == step)
            {
                waiting.remove();
            }
        }
    }

    /** Waits for the step that runs, and takes steps again; keys and values of steps that completed are as they were. */
    synchronized void reset()
    {
        plans.clear();
        boolean interrupted = false;
        while (busy && !closed)
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
        steps.forget();
        lossCause = null;
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** Whatever is thrown, the rank is not busy afterwards: a reset waits for that. */
    private void compute()
    {
        try
        {
            for (CpuStepPlan plan = nextPlan(); plan != null; plan = nextPlan())
            {
                computed(run(plan));
            }
        }
        catch (final IllegalStateException e)
        {
            unwanted();
        }
        finally
        {
            computed(null);
        }
    }

    /** @param result {@code null}: there will be none. */
    private synchronized void computed(final CpuStepResults result)
    {
        busy = false;
        if (result != null)
        {
            results.add(result);
        }
        notifyAll();
    }

    private synchronized CpuStepPlan nextPlan()
    {
        while (plans.isEmpty() && !closed)
        {
            if (!awaitChange())
            {
                return null;
            }
        }
        busy = !closed;
        return closed ? null : plans.remove();
    }

    private CpuStepResults run(final CpuStepPlan plan)
    {
        final StepWeights<ForwardModel> weights = plan.takeWeights();
        final String lost = weights.fault() == null ? lossCause() : weights.fault();
        if (lost != null)
        {
            return CpuStepResults.failed(plan, StepFault.RANK_LOST, lost);
        }
        try
        {
            sink.forward(clock.getAsLong(), plan.epoch(), rank, plan.step(), 0);
        }
        catch (final Error e)
        {
            return lost(plan, e);
        }
        try
        {
            return steps.compute(plan, weights.weights());
        }
        catch (final RuntimeException | Error e)
        {
            return lost(plan, e);
        }
    }

    /** Without memory for a sentence, a ready one serves. */
    private CpuStepResults lost(final CpuStepPlan plan, final Throwable thrown)
    {
        CpuStepResults result;
        try
        {
            result = CpuStepResults.failed(plan, StepFault.RANK_LOST, "the step could not be computed: " + thrown);
        }
        catch (final OutOfMemoryError e)
        {
            result = plan.outOfMemory();
        }
        synchronized (this)
        {
            lossCause = result.detail();
        }
        return result;
    }

    private synchronized String lossCause()
    {
        return lossCause;
    }

    private void report()
    {
        try
        {
            for (CpuStepResults result = nextResult(); result != null; result = nextResult())
            {
                final CpuStepPlan plan = result.plan();
                if (result.fault() == null)
                {
                    sink.d2hComplete(clock.getAsLong(), plan.epoch(), rank, plan.step(), result.tokens(), result.rows());
                }
                else
                {
                    sink.fault(clock.getAsLong(), plan.epoch(), rank, plan.step(), result.fault(), result.detail());
                }
            }
        }
        catch (final IllegalStateException e)
        {
            unwanted();
        }
        catch (final Error e)
        {
            // The engine, which has thrown it, ends: nobody waits for this thread.
            unwanted();
        }
    }

    private synchronized CpuStepResults nextResult()
    {
        while (results.isEmpty() && !closed)
        {
            if (!awaitChange())
            {
                return null;
            }
        }
        return closed ? null : results.remove();
    }

    /** Returns false if the thread is to end. */
    private boolean awaitChange()
    {
        try
        {
            wait();
            return true;
        }
        catch (final InterruptedException e)
        {
            return false;
        }
    }

    /** The engine takes no more reports. */
    private synchronized void unwanted()
    {
        closed = true;
        busy = false;
        notifyAll();
    }

    /** No step begins any more, and no result is reported once this has returned. */
    void stop()
    {
        unwanted();
    }

    /** Behind {@link #stop}: waits for the step that runs, and for a report that waits for the engine. */
    void awaitEnd()
    {
        join(computing);
        join(reporting);
    }

    private static void join(final Thread thread)
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
