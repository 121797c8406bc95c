// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;

/** The handles of requests that have not ended. Once failed it takes none, so that no handle is left behind. */
final class OpenHandles
{
    private final Long2ObjectHashMap<CompletionHandle> handles = new Long2ObjectHashMap<>();
    private Throwable failure;

    /** @throws IllegalStateException when the engine takes no further input. */
    synchronized void add(final CompletionHandle handle)
    {
        checkRunning();
        handles.put(handle.requestId(), handle);
    }

    /** @throws IllegalStateException when the engine takes no further input. */
    synchronized void checkRunning()
    {
        if (failure != null)
        {
            throw new IllegalStateException("the engine takes no further input: " + failure.getMessage(), failure);
        }
    }

    /** Null where there is none. */
    synchronized CompletionHandle find(final long requestId)
    {
        return handles.get(requestId);
    }

    /** Null where there is none. */
    synchronized CompletionHandle remove(final long requestId)
    {
        return handles.remove(requestId);
    }

    /** Completes every handle exceptionally; only the first call counts. */
    void failAll(final Throwable cause)
    {
        final List<CompletionHandle> open;
        synchronized (this)
        {
            if (failure != null)
            {
                return;
            }
            failure = cause;
            open = new ArrayList<>(handles.values());
            handles.clear();
        }
        open.forEach(handle -> handle.failed(cause));
    }
}
