// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.request.RowBudget;
import io.signalbox.scheduler.SchedulerConfig;

/**
 * Refuses requests whose routed experts alone may exceed the bound, and holds others back until there is room for them, if
 * the engine is to. Thread-safe.
 */
final class RowRoom
{
    private final SchedulerConfig config;
    private final long maxBytes;
    /** {@code null} if requests are not held back. */
    private final RowBudget budget;

    /** @param maxBytes that rows of ended requests may hold. */
    RowRoom(final SchedulerConfig config, final long maxBytes, final RowBudget budget)
    {
        this.config = config;
        this.maxBytes = maxBytes;
        this.budget = budget;
    }

    /** Reserves what the request may need, and waits for it up to the timeout. Returns why not, or {@code null}. */
    Refusal reserve(final CompletionRequest request, final long requestId, final long timeoutNanos)
        throws InterruptedException
    {
        if (request.rowsFrom() < 0)
        {
            return null;
        }
        final long bytes = FinishedRows.mostBytes(config, (long)request.prompt().length + request.maxNewTokens());
        if (bytes > maxBytes)
        {
            return Refusal.until(Refusal.Reason.ROWS_ABOVE_BOUND, "the rows of the request may need " + bytes +
                " bytes, above maxUntakenRowsBytes=" + maxBytes + "; raise the bound, or submit it without rows");
        }
        if (budget == null)
        {
            return null;
        }
        return budget.reserve(requestId, bytes, timeoutNanos) ? null : Refusal.until(Refusal.Reason.ROWS_UNTAKEN,
            "requests hold so many of maxUntakenRowsBytes=" + maxBytes + " that the " + bytes + " of this one do " +
                "not fit; take or discard rows of requests when they have ended, then submit it again");
    }

    /** Reserves what a request of an earlier engine may need, also above the bound. */
    void resume(final CompletionHandle request)
    {
        if (budget != null && request.rowsFrom() >= 0 && !request.rowClaim().isClaimed())
        {
            budget.take(request.requestId(), FinishedRows.mostBytes(config, request.mostTokens()));
        }
    }

    /** Frees what the request has reserved, if it has. */
    void free(final long requestId)
    {
        if (budget != null)
        {
            budget.free(requestId);
        }
    }

    /** The engine stopped: nobody waits any more. */
    void end()
    {
        if (budget != null)
        {
            budget.end();
        }
    }
}
