// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

import java.util.List;

/**
 * Requests that hang together: one without predecessor, and all that directly or indirectly follow it. A session whose
 * first request has no arrival waits for a client; each session that has ended sets one free.
 */
final class Sessions
{
    static final int NONE = -1;

    private final int[] firstOf;
    /** Per session, at the index of its first request: requests that have not ended and may yet be submitted. */
    private final int[] left;
    /** First requests of the sessions that wait, in the order of the workload. */
    private final int[] waiting;
    private int nextWaiting;

    Sessions(final Workload workload)
    {
        final List<WorkloadRequest> requests = workload.requests();
        firstOf = new int[requests.size()];
        left = new int[requests.size()];
        int count = 0;
        for (int index = 0; index < firstOf.length; index++)
        {
            final WorkloadRequest request = requests.get(index);
            // A predecessor comes first in its workload; the driver has seen to that.
            firstOf[index] = request.predecessorId() == NONE ? index : firstOf[workload.indexOf(request.predecessorId())];
            left[firstOf[index]]++;
            count += isWaiting(request) ? 1 : 0;
        }
        waiting = new int[count];
        for (int index = firstOf.length - 1; index >= 0; index--)
        {
            if (isWaiting(requests.get(index)))
            {
                waiting[--count] = index;
            }
        }
    }

    private static boolean isWaiting(final WorkloadRequest request)
    {
        return request.predecessorId() == NONE && request.arrivalNanos() == NONE;
    }

    /** @return the first request of the session that starts now, because this was the last of the previous one; -1: none. */
    int settle(final int index)
    {
        final boolean ended = --left[firstOf[index]] == 0;
        return ended && nextWaiting < waiting.length ? waiting[nextWaiting++] : NONE;
    }
}
