// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.saved.SavedFields;

/** Keeps a lower bound of the next deadline, so that the live requests are searched only when one may have passed. */
final class Deadlines
{
    static final long NONE = Long.MAX_VALUE;

    /** No armed deadline is earlier. The request that it belonged to may have ended. */
    private long nextNanos = NONE;

    long nextNanos()
    {
        return nextNanos;
    }

    void save(final SavedFields fields)
    {
        nextNanos = fields.number(nextNanos);
    }

    void arm(final Request request)
    {
        if (request.deadlineNanos() >= 0)
        {
            nextNanos = Math.min(nextNanos, request.deadlineNanos());
        }
    }

    /** Marks every request whose deadline has passed as expired. */
    void expire(final RequestTable requests, final long nowNanos)
    {
        nextNanos = NONE;
        for (int i = requests.size() - 1; i >= 0; i--)
        {
            final Request request = requests.at(i);
            final boolean ending = request.stage() == Request.Stage.FINISHED || request.isEnding();
            if (request.deadlineNanos() >= 0 && !ending)
            {
                if (request.deadlineNanos() <= nowNanos)
                {
                    request.expire();
                }
                else
                {
                    nextNanos = Math.min(nextNanos, request.deadlineNanos());
                }
            }
        }
    }
}
