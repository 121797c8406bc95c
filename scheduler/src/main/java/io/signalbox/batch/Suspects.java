// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;
import io.signalbox.saved.SavedFields;

/**
 * Which requests of a rank may share the step that is being planned, if some are suspects ({@link FailedTries}): suspects
 * only, no more of them than each allows; or the others only. The two take turns as long as both can run, so that others
 * that run continue while suspects compute their prompts again; without turns, the others have those steps in which no
 * suspect can be. A step of the others waits until no suspect is in flight, since it would be withdrawn with a suspect's
 * step that fails.
 */
final class Suspects
{
    private final boolean takesTurns;
    /** False if there are none; else a plan looks for them. */
    private boolean any;
    /** The last step was one of suspects. */
    private boolean isTurnOfOthers;
    private boolean inStep;
    /** Those who had the turn could not be in the step. */
    private boolean isSecond;
    private int entries;
    private int most;
    /** Most requests in a step with the one that was allowed last. */
    private int mostOfLast;

    Suspects(final boolean takesTurns)
    {
        this.takesTurns = takesTurns;
    }

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

    /** Begins a step. Returns false if it must wait until a step in flight has landed. */
    boolean begin(final RequestQueue running, final RequestQueue waiting)
    {
        any = any && count(running) + count(waiting) > 0;
        isTurnOfOthers &= any;
        isSecond = false;
        entries = 0;
        most = FailedTries.ANY_NUMBER;
        final boolean isOthers = isTurnOfOthers && canOthersRun(running);
        inStep = any && !isOthers;
        return !isOthers || !isAnyInFlight(running);
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

    private static boolean canOthersRun(final RequestQueue running)
    {
        boolean canRun = false;
        for (int i = 0; i < running.size() && !canRun; i++)
        {
            canRun = !isSuspect(running.get(i)) && !running.get(i).isLeaving();
        }
        return canRun;
    }

    private static boolean isAnyInFlight(final RequestQueue running)
    {
        boolean isAny = false;
        for (int i = 0; i < running.size() && !isAny; i++)
        {
            isAny = isSuspect(running.get(i)) && running.get(i).isInFlight();
        }
        return isAny;
    }

    private static boolean isSuspect(final Request request)
    {
        return request.mostTogether() < FailedTries.ANY_NUMBER;
    }

    boolean areNone()
    {
        return !any;
    }

    /** If nobody who has the turn could be in the step, it begins anew with the rest; returns whether it does. */
    boolean leaveOut(final StepPlan plan)
    {
        final boolean isAnew = any && !isSecond && plan.entryCount() == 0;
        isSecond = true;
        inStep ^= isAnew;
        return isAnew;
    }

    /** The plan is complete. */
    void planned(final StepPlan plan)
    {
        isTurnOfOthers = takesTurns && any && (plan.entryCount() > 0 ? inStep : isTurnOfOthers);
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

    /** Between two plans. */
    void save(final SavedFields fields)
    {
        any = fields.flag(any);
        isTurnOfOthers = fields.flag(isTurnOfOthers);
    }

    long digest(final long before)
    {
        return isTurnOfOthers ? StateDigest.mix(before, 1) : before;
    }
}
