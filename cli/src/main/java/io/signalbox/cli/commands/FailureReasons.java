// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Why requests failed: the sentence of the last step of each that failed. Follows the engine on its listener's thread;
 * another thread asks.
 */
final class FailureReasons extends EventReader
{
    private static final long WAIT_SECONDS = 10;
    private static final String UNKNOWN = "the journal has the reason";

    private record Flight(int rank, long step)
    {
    }

    private final Map<Flight, long[]> inFlight = new HashMap<>();
    private final Map<Long, String> last = new HashMap<>();
    private final Map<Long, String> failed = new HashMap<>();
    private String fault;

    @Override
    protected void onSchedule(final StepView step)
    {
        final long[] requests = new long[step.entryCount()];
        for (int entry = 0; entry < requests.length; entry++)
        {
            requests[entry] = step.requestId(entry);
        }
        inFlight.put(new Flight(step.rank(), step.step()), requests);
    }

    @Override
    protected void onCommit(final CommitView commit)
    {
        inFlight.remove(new Flight(commit.rank(), commit.step()));
    }

    @Override
    protected void onBackendFault(final BackendFaultDecoder message)
    {
        fault = message.detail();
    }

    @Override
    protected void onStepTimedOut(final StepTimedOutDecoder message)
    {
        fault = "the backend did not report the step in time";
    }

    @Override
    protected void onWithdrawn(final WithdrawnDecoder withdrawn)
    {
        final String detail = withdrawn.detail();
        final long[] requests = inFlight.remove(new Flight(withdrawn.rank(), withdrawn.step()));
        for (int i = 0; requests != null && i < requests.length; i++)
        {
            last.put(requests[i], detail.isEmpty() ? fault == null ? UNKNOWN : fault : detail);
        }
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        final String reason = last.remove(end.requestId());
        if (end.reason() == FreeReason.FAILED)
        {
            put(end.requestId(), reason == null ? UNKNOWN : reason);
        }
    }

    private synchronized void put(final long requestId, final String reason)
    {
        failed.put(requestId, reason);
        notifyAll();
    }

    /** The reason of a request that has failed, once; waits for the listener if it is behind. */
    synchronized String take(final long requestId)
    {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        for (long left = 1; !failed.containsKey(requestId) && left > 0; left = deadline - System.nanoTime())
        {
            try
            {
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
                break;
            }
        }
        final String reason = failed.remove(requestId);
        return reason == null ? UNKNOWN : reason;
    }
}
