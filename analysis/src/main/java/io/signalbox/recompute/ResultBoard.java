// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.ConfigException;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Keeps the reports of a backend, which come in any order across ranks, until the recorded result is read. Thread-safe. */
final class ResultBoard implements CompletionSink
{
    private final Map<StepName, StepResult> results = new HashMap<>();

    @Override
    public void forward(
        final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        // Launches are not compared.
    }

    @Override
    public void d2hComplete(
        final long timeNanos, final int epoch, final int rank, final long step, final StepTokens tokens,
        final CaptureSlice rows)
    {
        try
        {
            put(new StepName(rank, step), StepResult.of(tokens, rows));
        }
        finally
        {
            if (rows != null)
            {
                rows.release();
            }
        }
    }

    @Override
    public void fault(
        final long timeNanos, final int epoch, final int rank, final long step, final StepFault faultClass,
        final String detail)
    {
        put(new StepName(rank, step), StepResult.failed(faultClass, detail));
    }

    private synchronized void put(final StepName step, final StepResult result)
    {
        results.putIfAbsent(step, result);
        notifyAll();
    }

    /**
     * Waits for the report of a step.
     *
     * @param timeoutNanos 0: for any time.
     * @throws ConfigException if it has not come in time, or the thread was interrupted.
     */
    synchronized StepResult take(final StepName step, final long timeoutNanos)
    {
        final long begin = System.nanoTime();
        try
        {
            while (!results.containsKey(step))
            {
                final long left = timeoutNanos - (System.nanoTime() - begin);
                if (timeoutNanos > 0 && left <= 0)
                {
                    throw new ConfigException(step + " was submitted " + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) +
                        " s ago, and the backend has not reported it; look at its device, and start the command again.");
                }
                TimeUnit.NANOSECONDS.timedWait(this, timeoutNanos > 0 ? left : TimeUnit.HOURS.toNanos(1));
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new ConfigException("the recomputation was interrupted; start it again.");
        }
        return results.remove(step);
    }
}
