// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.BoundedCall;
import io.signalbox.cuda.driver.StuckThreads;
import io.signalbox.event.StepView;
import io.signalbox.serving.WeightSets.StepWeights;

import java.util.concurrent.locks.LockSupport;

/**
 * The thread of one rank. While a step is in flight it looks for the completion all the time, or every 20 µs; otherwise it
 * sleeps until a plan arrives.
 */
final class RankThread
{
    private static final int SPINS_BEFORE_PARKING = 100;
    private static final long IN_FLIGHT_PARK_NANOS = 20_000;
    /** An idle rank wakes for plans at once; this is how late it notices that another rank took all ranks with it. */
    private static final long IDLE_PARK_NANOS = 1_000_000;

    private final CudaRank rank;
    private final boolean spinning;
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean sleeping;

    /** @param spinning whether the thread may occupy a core while a step is in flight. */
    RankThread(final CudaRank rank, final boolean spinning)
    {
        this.rank = rank;
        this.spinning = spinning;
        thread = new Thread(this::run, "signalbox-cuda-rank-" + rank.rank());
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    /** Any one thread at a time. */
    void submit(final StepView plan, final StepWeights<WeightSlot> weights)
    {
        rank.submit(plan, weights);
        wake();
    }

    /** The thread that submits. */
    void abort(final long step)
    {
        rank.abort(step);
    }

    private void wake()
    {
        if (sleeping)
        {
            LockSupport.unpark(thread);
        }
    }

    private void run()
    {
        rank.onStart();
        int turnsInVain = 0;
        while (running)
        {
            if (work() > 0)
            {
                turnsInVain = 0;
            }
            else
            {
                pause(turnsInVain++);
            }
        }
    }

    private int work()
    {
        try
        {
            return rank.doWork();
        }
        // Errors too: a rank whose thread failed answers its steps with the cause.
        catch (final Throwable e)
        {
            rank.crashed(e);
            return 1;
        }
    }

    private void pause(final int turnsInVain)
    {
        if (spinning && rank.hasStepsInFlight() || turnsInVain < SPINS_BEFORE_PARKING)
        {
            Thread.onSpinWait();
        }
        else if (rank.hasStepsInFlight())
        {
            LockSupport.parkNanos(IN_FLIGHT_PARK_NANOS);
        }
        else
        {
            sleep();
        }
    }

    private void sleep()
    {
        sleeping = true;
        // Asked after the flag is set: a plan that came before has not woken this thread.
        if (running && !rank.hasPlans())
        {
            LockSupport.parkNanos(IDLE_PARK_NANOS);
        }
        sleeping = false;
    }

    /** The thread ends after its turn. */
    void stop()
    {
        running = false;
        LockSupport.unpark(thread);
    }

    /**
     * Waits for the thread after {@link #stop}.
     *
     * @return null if it has ended; otherwise one clause about its place. It is given up then.
     */
    String awaitEnd(final long limitNanos)
    {
        if (BoundedCall.join(thread, limitNanos))
        {
            return null;
        }
        StuckThreads.add(thread);
        return "the thread of rank " + rank.rank() + " has not come back from " + StuckThreads.place(thread);
    }
}
