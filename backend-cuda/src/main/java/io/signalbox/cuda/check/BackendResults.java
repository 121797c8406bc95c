// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.cuda.driver.DeviceStuckException;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Takes what a backend reports, holds it against the oracle on the rank's own thread, and gives a credit for each step. */
final class BackendResults implements CompletionSink
{
    private static final long GIVE_UP_SECONDS = 30;

    private final ReceivedStep[] received;
    private final StepOracle[] oracles;
    private final Semaphore[] credits;
    private final int stepTokens;
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicReference<String> firstFault = new AtomicReference<>();

    BackendResults(final int ranks, final StepSetup setup, final CheckOracle oracle)
    {
        stepTokens = setup.tokens();
        received = new ReceivedStep[ranks];
        oracles = new StepOracle[ranks];
        credits = new Semaphore[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            received[rank] = new ReceivedStep(setup);
            oracles[rank] = new StepOracle(setup, oracle);
            credits[rank] = new Semaphore(StepSetup.STEPS_IN_FLIGHT);
        }
    }

    @Override
    public void forward(
        final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        // That a step was launched is no result.
    }

    @Override
    public void d2hComplete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepTokens tokens,
        final CaptureSlice rows)
    {
        received[rank].complete(tokens, rows);
        final String difference = oracles[rank].difference(received[rank], step, stepTokens);
        received[rank].release();
        if (difference != null)
        {
            wrong("rank " + rank + ", " + difference);
        }
        credits[rank].release();
    }

    @Override
    public void fault(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepFault faultClass,
        final String detail)
    {
        wrong("rank " + rank + ", step " + step + ": " + detail + ".");
        credits[rank].release();
    }

    private void wrong(final String sentence)
    {
        wrong.incrementAndGet();
        firstFault.compareAndSet(null, sentence);
    }

    /** Waits until the rank may be given one more step. */
    void awaitCredit(final int rank)
    {
        acquire(rank, 1);
    }

    /** Waits until every step was reported. */
    void awaitAll()
    {
        for (int rank = 0; rank < credits.length; rank++)
        {
            acquire(rank, StepSetup.STEPS_IN_FLIGHT);
        }
    }

    private void acquire(final int rank, final int count)
    {
        try
        {
            if (!credits[rank].tryAcquire(count, GIVE_UP_SECONDS, TimeUnit.SECONDS))
            {
                throw new DeviceStuckException("rank " + rank + " reported no step for " + GIVE_UP_SECONDS + " s");
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while rank " + rank + " computed", e);
        }
    }

    /** Steps that failed or differ from the oracle. */
    long wrongSteps()
    {
        return wrong.get();
    }

    /** One sentence, or null. */
    String firstFault()
    {
        return firstFault.get();
    }
}
