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
    /** KV blocks of a rank on which no request of these tests lacks one. */
    static final int ROOM_FOR_ALL = 500;

    private final DepthRig rig;
    /** Per request its former admission. */
    private final Map<Long, Long> waiting = new HashMap<>();
    private boolean lastOfSuspects;

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
    void onSchedule(final StepView plan, final TryCount tries, final Set<Long> running)
    {
        final Set<Long> together = new HashSet<>();
        for (int i = 0; i < plan.entryCount(); i++)
        {
            together.add(plan.requestId(i));
        }
        assertNull(tries.mistake(together), () -> "step " + plan.step() + " of rank " + plan.rank());
        checkTurn(plan, tries, together, running);
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            final long id = plan.admittedRequestId(i);
            final Long former = waiting.remove(id);
            if (former == null || rig.config.get(BatchSettings.LONG_PREFILL_TOKENS) > 0 || tries.isSuspect(id))
            {
                continue;
            }
            waiting.forEach((other, admission) -> assertTrue(
                priority(other) != priority(id) || admission > former || tries.isSuspect(other) ||
                    rig.outputs().awaitsWeights(other),
                () -> "request " + id + " is admitted before request " + other + ", which was ahead of it"));
        }
    }

    /** With one step in flight and blocks for all, each running request can be in each step. */
    private void checkTurn(
        final StepView plan, final TryCount tries, final Set<Long> together, final Set<Long> running)
    {
        final boolean takesTurns = rig.config.get(BatchSettings.SUSPECT_TURNS);
        final boolean ofSuspects = together.stream().anyMatch(tries::isSuspect);
        if (takesTurns == ofSuspects && rig.config.depth() == 1 && rig.config.kvBlocks() >= ROOM_FOR_ALL)
        {
            running.forEach(id -> assertTrue(takesTurns ? !lastOfSuspects || tries.isSuspect(id) : !tries.isSuspect(id),
                () -> "step " + plan.step() + (takesTurns ? " of suspects follows another one" : " has no suspect") +
                    ", and request " + id + " could run"));
        }
        lastOfSuspects = ofSuspects;
    }

    private int priority(final long id)
    {
        return rig.scheduler.request(id).priority();
    }
}
