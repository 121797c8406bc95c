// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.experts.RequestRows;
import io.signalbox.scheduler.RowHandover;
import io.signalbox.scheduler.Scheduler;
import org.agrona.collections.Long2ObjectHashMap;

/** The rows of requests that have ended, on their way from the scheduler's thread to whoever takes them. */
final class FinishedRows
{
    private final Long2ObjectHashMap<RequestRows> rows = new Long2ObjectHashMap<>();

    /** Takes note of what the last input ended and released. */
    void update(final Scheduler scheduler)
    {
        final RowHandover handover = scheduler.rowHandover();
        if (handover.waitingCount() == 0 && handover.released() == RowHandover.NO_REQUEST)
        {
            return;
        }
        synchronized (rows)
        {
            for (int i = 0; i < handover.waitingCount(); i++)
            {
                rows.put(handover.waiting(i), scheduler.rows(handover.waiting(i)));
            }
            rows.remove(handover.released());
        }
    }

    /** Null where there are none. */
    RequestRows get(final long requestId)
    {
        synchronized (rows)
        {
            return rows.get(requestId);
        }
    }
}
