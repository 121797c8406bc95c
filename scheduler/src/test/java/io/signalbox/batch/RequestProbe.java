// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** State of a request that no event shows. */
public final class RequestProbe
{
    private RequestProbe()
    {
    }

    /** Whether the request gets no further entry in its stay on the rank. */
    public static boolean isLeaving(final Request request)
    {
        return request.isLeaving();
    }

    public static boolean isPreempted(final Request request)
    {
        return request.leaving() == Request.Leaving.PREEMPTED;
    }

    public static boolean isPaused(final Request request)
    {
        return request.isPaused();
    }
}
