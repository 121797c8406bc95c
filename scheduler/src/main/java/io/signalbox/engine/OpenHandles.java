// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import org.agrona.collections.Long2ObjectHashMap;

/** The handles of requests that have not ended. After a failure it accepts none, so that every handle completes. */
final class OpenHandles
{
    private final Long2ObjectHashMap<CompletionHandle> handles = new Long2ObjectHashMap<>();
    private Throwable failure;
    private CompletionHandle[] failing;
    private int nextFailing;

    /** @throws IllegalStateException when the engine accepts no further input. */
    synchronized void add(final CompletionHandle handle)
    {
        checkRunning();
        handles.put(handle.requestId(), handle);
    }

    /** @throws IllegalStateException when the engine accepts no further input. */
    synchronized void checkRunning()
    {
        if (failure != null)
        {
            throw new IllegalStateException("the engine takes no further input: " + failure.getMessage(), failure);
        }
    }

    /** Returns {@code null} if the request has none. */
    synchronized CompletionHandle find(final long requestId)
    {
        return handles.get(requestId);
    }

    /** Returns {@code null} if the request has none. */
    synchronized CompletionHandle remove(final long requestId)
    {
        return handles.remove(requestId);
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
        }
        for (; nextFailing < failing.length; nextFailing++)
        {
            failing[nextFailing].failed(failure);
        }
    }
}
