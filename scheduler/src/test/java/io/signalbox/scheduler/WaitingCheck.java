// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.StepView;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Requests of one priority that wait again on one rank are admitted in the order in which they were admitted before, except
 * that suspects may be passed over, or pass others over; and no step has more requests, or other ones, than suspects allow.
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

    /** To be called before the model admits the plan's requests. */
    void onSchedule(final StepView plan, final TryCount tries)
    {
        final Set<Long> together = new HashSet<>();
        for (int i = 0; i < plan.entryCount(); i++)
        {
            together.add(plan.requestId(i));
        }
        assertNull(tries.mistake(together), () -> "step " + plan.step() + " of rank " + plan.rank());
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            final long id = plan.admittedRequestId(i);
            final Long former = waiting.remove(id);
            if (former == null || rig.config.get(BatchSettings.LONG_PREFILL_TOKENS) > 0 || tries.isSuspect(id))
            {
                continue;
            }
            waiting.forEach((other, admission) -> assertTrue(
                priority(other) != priority(id) || admission > former || tries.isSuspect(other),
                () -> "request " + id + " is admitted before request " + other + ", which was ahead of it"));
        }
    }

    private int priority(final long id)
    {
        return rig.scheduler.request(id).priority();
    }
}
