// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExperts;

import java.util.concurrent.TimeoutException;

/** Hands the routed experts of ended requests to their client, and has them released once for each. Thread-safe. */
final class RowTaking
{
    private final EngineClient client;
    private final boolean capture;

    RowTaking(final EngineClient client, final boolean capture)
    {
        this.client = client;
        this.capture = capture;
    }

    /** Returns a copy from the wanted position on, or {@code null} if there are none; the rows stay. */
    RoutedExperts read(final CompletionHandle handle, final long timeoutNanos) throws InterruptedException, TimeoutException
    {
        final Completion completion = handle.await(timeoutNanos);
        synchronized (handle.rowClaim())
        {
            if (!has(handle, completion) || handle.rowClaim().isClaimed())
            {
                return null;
            }
            try
            {
                return copy(handle, completion);
            }
            finally
            {
                client.engine().rowsNotTaken(handle.requestId());
            }
        }
    }

    /** Returns a copy from the wanted position on and has the rows released, or {@code null} if there are none to take. */
    RoutedExperts take(final CompletionHandle handle, final long timeoutNanos) throws InterruptedException, TimeoutException
    {
        final Completion completion = awaitEndAndCredit(handle, timeoutNanos);
        synchronized (handle.rowClaim())
        {
            final RoutedExperts copy = claimedCopy(handle, completion);
            if (copy != null)
            {
                release(handle);
            }
            return copy;
        }
    }

    /** Has the rows released without a copy; does nothing if there are none. */
    void release(final CompletionHandle handle, final long timeoutNanos) throws InterruptedException, TimeoutException
    {
        final Completion completion = awaitEndAndCredit(handle, timeoutNanos);
        synchronized (handle.rowClaim())
        {
            if (has(handle, completion) && handle.rowClaim().claim() &&
                client.engine().rows(handle.requestId()) != null)
            {
                release(handle);
            }
            else
            {
                client.giveCreditBack();
            }
        }
    }

    private Completion awaitEndAndCredit(final CompletionHandle handle, final long timeoutNanos)
        throws InterruptedException, TimeoutException
    {
        final long start = System.nanoTime();
        final Completion completion = handle.await(timeoutNanos);
        if (!client.takeCredit(timeoutNanos - (System.nanoTime() - start)))
        {
            throw new TimeoutException("the engine had no credit in time to release the rows");
        }
        return completion;
    }

    private boolean has(final CompletionHandle handle, final Completion completion)
    {
        return capture && !completion.isRefused() && handle.rowsFrom() >= 0;
    }

    private void release(final CompletionHandle handle)
    {
        try
        {
            client.releaseRows(handle);
        }
        catch (final RuntimeException | Error e)
        {
            notTaken(handle);
            throw e;
        }
    }

    /** Returns the rows: a later call may take them, and until then they may be discarded. */
    private void notTaken(final CompletionHandle handle)
    {
        client.engine().rowsNotTaken(handle.requestId());
        handle.rowClaim().giveUp();
    }

    /** Returns the credit unless there are rows to release. */
    private RoutedExperts claimedCopy(final CompletionHandle handle, final Completion completion)
    {
        RoutedExperts copy = null;
        boolean first = false;
        try
        {
            first = has(handle, completion) && handle.rowClaim().claim();
            copy = first ? copy(handle, completion) : null;
            return copy;
        }
        finally
        {
            if (copy == null)
            {
                client.giveCreditBack();
                if (first)
                {
                    notTaken(handle);
                }
            }
        }
    }

    /** The engine keeps the rows until the caller gives them back or has them released. */
    private RoutedExperts copy(final CompletionHandle handle, final Completion completion)
    {
        final RequestRows rows = client.engine().rows(handle.requestId());
        if (rows == null)
        {
            throw new RowsDiscardedException("the rows of request " + handle.requestId() + " are gone: " +
                client.engine().describeDiscards() + "; take rows sooner, or raise the bound.");
        }
        return rows.copy(Math.min(handle.rowsFrom(), completion.rows()), completion.rows())
            .of(handle.promptTokens(), completion.weights());
    }
}
