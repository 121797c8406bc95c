// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;

/** Steps of one kind, timed when their results reach the host, two in flight and every result verified. */
final class TimedSteps implements AutoCloseable
{
    /** Each run is cut into batches of consecutive steps. */
    static final int BATCHES = 20;
    private static final int WARM_UP_STEPS = 10;

    private final CheckSteps steps;
    private final int tokens;
    private final double[] batchNanos = new double[2 * BATCHES];
    private int batches;
    private long step;
    private long submitNanos;
    private long submitted;

    /** Made with separate memory, which other kinds can read beside it. */
    TimedSteps(final CheckDevice device, final StepSetup setup)
    {
        this(new CheckSteps(device, setup), setup);
    }

    private TimedSteps(final CheckSteps steps, final StepSetup setup)
    {
        this.steps = steps;
        tokens = setup.tokens();
    }

    /** Another kind with the same context and the same memory to read; to be closed before this one. */
    TimedSteps beside(final StepSetup setup)
    {
        return new TimedSteps(steps.beside(setup), setup);
    }

    /** One of two runs. */
    void run(final int count)
    {
        final int batch = count / BATCHES;
        submit();
        for (int i = 0; i < WARM_UP_STEPS; i++)
        {
            next();
        }
        submitNanos = 0;
        submitted = 0;
        for (int i = 0; i < BATCHES; i++)
        {
            final long startNanos = System.nanoTime();
            for (int j = 0; j < batch; j++)
            {
                next();
            }
            batchNanos[batches++] = (double)(System.nanoTime() - startNanos) / batch;
        }
        verify(step);
    }

    private void submit()
    {
        final long startNanos = System.nanoTime();
        steps.submit(++step, tokens);
        submitNanos += System.nanoTime() - startNanos;
        submitted++;
    }

    /** Submits a step and waits for the one before it. */
    private void next()
    {
        submit();
        verify(step - 1);
    }

    private void verify(final long awaited)
    {
        final String fault = steps.await(awaited).fault();
        if (fault != null)
        {
            throw new InvariantViolation(fault);
        }
    }

    /** Mean nanoseconds of a step in each batch of both runs. */
    double[] batchNanos()
    {
        return batchNanos;
    }

    /** Mean nanoseconds that the last run's steps cost the thread that submitted them. */
    double submitNanos()
    {
        return (double)submitNanos / submitted;
    }

    @Override
    public void close()
    {
        steps.close();
    }
}
