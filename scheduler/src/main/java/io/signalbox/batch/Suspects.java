// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * Which requests of a rank may share the step that is being planned, if some are suspects ({@link FailedTries}): suspects
 * only, no more of them than each allows; or, if no suspect can be in it, the others only.
 */
final class Suspects
{
    /** False if there are none; else a plan looks for them. */
    private boolean any;
    private boolean inStep;
    private int entries;
    private int most;
    /** Most requests in a step with the one that was allowed last. */
    private int mostOfLast;

    /** A request came from another rank, or is new. */
    void placed(final Request request)
    {
        any |= isSuspect(request);
    }

    /** A step failed, so that there may be some. */
    void expect()
    {
        any = true;
    }

    /** Begins a step, of suspects if there are any. */
    void begin(final RequestQueue running, final RequestQueue waiting)
    {
        any = any && count(running) + count(waiting) > 0;
        inStep = any;
        entries = 0;
        most = FailedTries.ANY_NUMBER;
    }

    private static int count(final RequestQueue requests)
    {
        int count = 0;
        for (int i = 0; i < requests.size(); i++)
        {
            requests.get(i).forgetOldTries();
            count += isSuspect(requests.get(i)) ? 1 : 0;
        }
        return count;
    }

    private static boolean isSuspect(final Request request)
    {
        return request.mostTogether() < FailedTries.ANY_NUMBER;
    }

    boolean areNone()
    {
        return !any;
    }

    /** If no suspect could be in the step, it begins anew without them; returns whether it does. */
    boolean leaveOut(final StepPlan plan)
    {
        final boolean isAnew = inStep && plan.entryCount() == 0;
        inStep &= !isAnew;
        return isAnew;
    }

    /** Whether suspects wait for a later step. */
    boolean areLeftOut()
    {
        return any && !inStep;
    }

    /** Whether the request may be in the step beside those that are. If so, it may get the next entry. */
    boolean allow(final StepPlan plan, final Request request)
    {
        if (!any || isSuspect(request) != inStep)
        {
            return !any;
        }
        if (plan.entryCount() > entries)
        {
            entries = plan.entryCount();
            most = Math.min(most, mostOfLast);
        }
        final boolean isAllowed = entries < Math.min(most, request.mostTogether());
        mostOfLast = isAllowed ? request.mostTogether() : mostOfLast;
        return isAllowed;
    }
}
