// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import org.agrona.collections.Long2ObjectHashMap;

/**
 * The handles of requests that have not ended. After a failure it accepts none, so that every handle completes; nor does it
 * while it drains, so that it becomes empty.
 */
final class OpenHandles
{
    private final Long2ObjectHashMap<CompletionHandle> handles = new Long2ObjectHashMap<>();
    private final Runnable onDrained;
    private volatile boolean draining;
    private Throwable failure;
    private CompletionHandle[] failing;
    private int nextFailing;

    OpenHandles()
    {
        this(() -> { });
    }

    /** @param onDrained called once or more when it drains and is empty; must not wait. */
    OpenHandles(final Runnable onDrained)
    {
        this.onDrained = onDrained;
    }

    /**
     * Returns false while it drains.
     *
     * @throws IllegalStateException when the engine accepts no further input.
     */
    synchronized boolean add(final CompletionHandle handle)
    {
        checkRunning();
        if (!draining)
        {
            handles.put(handle.requestId(), handle);
        }
        return !draining;
    }

    /** @throws IllegalStateException when the engine accepts no further input. */
    synchronized void checkRunning()
    {
        if (failure != null)
        {
            throw new IllegalStateException("the engine takes no further input: " + failure.getMessage(), failure);
        }
    }

    synchronized int openCount()
    {
        return handles.size();
    }

    /** Returns {@code null} if the request has none. */
    synchronized CompletionHandle find(final long requestId)
    {
        return handles.get(requestId);
    }

    /** Returns {@code null} if the request has none. */
    CompletionHandle remove(final long requestId)
    {
        final CompletionHandle removed;
        synchronized (this)
        {
            removed = handles.remove(requestId);
            if (!isDrained())
            {
                return removed;
            }
            notifyAll();
        }
        onDrained.run();
        return removed;
    }

    private synchronized boolean isDrained()
    {
        return draining && handles.isEmpty();
    }

    /** Accepts no further handle. */
    void drain()
    {
        synchronized (this)
        {
            draining = true;
            if (!isDrained())
            {
                return;
            }
        }
        onDrained.run();
    }

    boolean isDraining()
    {
        return draining;
    }

    /** Waits until it has drained. Returns false if it had not in time. */
    synchronized boolean awaitDrained(final long timeoutNanos) throws InterruptedException
    {
        final long start = System.nanoTime();
        long left = timeoutNanos;
        while (!isDrained() && left > 0)
        {
            wait(left / 1_000_000, (int)(left % 1_000_000));
            left = timeoutNanos - (System.nanoTime() - start);
        }
        return isDrained();
    }

    /**
     * Completes every handle exceptionally. A call that runs out of memory may be repeated, and continues with the first
     * handle that was not completed; later calls do nothing.
     */
    void failAll(final Throwable cause)
    {
        synchronized (this)
        {
            failure = failure == null ? cause : failure;
            if (failing == null)
            {
                failing = handles.values().toArray(new CompletionHandle[0]);
                handles.clear();
            }
            notifyAll();
        }
        // End all requests first: if an executor of callbacks does not return, it blocks only the callbacks.
        for (final CompletionHandle handle : failing)
        {
            handle.failed(failure);
        }
        for (; nextFailing < failing.length; nextFailing++)
        {
            failing[nextFailing].finish();
        }
    }
}
