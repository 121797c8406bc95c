// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.StepView;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Requests of one priority that wait again on one rank are admitted in the order in which they were admitted before, and of
 * those that may be the reason for failed steps one at a time.
 */
final class WaitingCheck
{
    private final DepthRig rig;
    /** Per request its former admission. */
    private final Map<Long, Long> waiting = new HashMap<>();

    WaitingCheck(final DepthRig rig)
    {
        this.rig = rig;
    }

    void waitsAgain(final long id, final long formerAdmission)
    {
        waiting.put(id, formerAdmission);
    }

    /** The rank is lost: its requests wait for others. */
    void evacuated()
    {
        waiting.clear();
    }

    void ended(final long id)
    {
        waiting.remove(id);
    }

    /**
     * Only long prompts and suspects are passed over. A prefix match counts as computed, and so a request that was admitted
     * with one in the same plan is no suspect.
     *
     * @param running those that the plan admits included.
     */
    void onSchedule(final StepView plan, final Set<Long> running)
    {
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            final long id = plan.admittedRequestId(i);
            assertTrue(!isSuspect(id) || running.stream().noneMatch(other -> other != id && isSuspect(other)),
                () -> "request " + id + " is admitted beside another one that may be the reason for failed steps");
            final Long former = waiting.remove(id);
            if (former == null || rig.config.get(BatchSettings.LONG_PREFILL_TOKENS) > 0)
            {
                continue;
            }
            waiting.forEach((other, admission) -> assertTrue(
                priority(other) != priority(id) || admission > former || isSuspect(other),
                () -> "request " + id + " is admitted before request " + other + ", which was ahead of it"));
        }
    }

    private boolean isSuspect(final long id)
    {
        return rig.scheduler.request(id).isSuspect();
    }

    private int priority(final long id)
    {
        return rig.scheduler.request(id).priority();
    }
}
