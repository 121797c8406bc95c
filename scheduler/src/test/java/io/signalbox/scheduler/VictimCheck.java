// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.batch.RequestProbe;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Preemptions of one rank: a plan takes one victim, the right one, and only for a request that has nothing in flight while
 * no blocks are about to return. A wrong victim changes no token and no row, so that nothing else would find it.
 */
final class VictimCheck
{
    private final RankModel rank;
    private final PauseCheck pauses;
    private final DepthCounts counts;
    private final Set<Long> leavingBefore = new HashSet<>();
    private final Map<Long, Long> admissions = new HashMap<>();
    private final List<Long> leftAtOnce = new ArrayList<>();
    private long plannedStep;

    VictimCheck(final RankModel rank, final PauseCheck pauses, final DepthCounts counts)
    {
        this.rank = rank;
        this.pauses = pauses;
        this.counts = counts;
    }

    void onSchedule(final long step)
    {
        plannedStep = step;
    }

    /** A preempted request waits again. */
    void onPreempted(final long id)
    {
        counts.add(DepthCounts.Kind.PREEMPTION, 1);
        if (!leavingBefore.contains(id))
        {
            leftAtOnce.add(id);
        }
    }

    /** To be called behind every group. */
    void check(final Scheduler scheduler)
    {
        final List<Long> victims = new ArrayList<>(leftAtOnce);
        for (final long id : rank.running.keySet())
        {
            if (RequestProbe.isPreempted(scheduler.request(id)) && !leavingBefore.contains(id))
            {
                victims.add(id);
                counts.add(DepthCounts.Kind.PREEMPTION_IN_FLIGHT, 1);
            }
        }
        if (!victims.isEmpty())
        {
            check(scheduler, victims);
        }
        leftAtOnce.clear();
        plannedStep = 0;
        leavingBefore.clear();
        admissions.clear();
        rank.running.forEach((id, stay) ->
        {
            admissions.put(id, stay.admission);
            if (RequestProbe.isLeaving(scheduler.request(id)))
            {
                leavingBefore.add(id);
            }
        });
    }

    private void check(final Scheduler scheduler, final List<Long> victims)
    {
        final Set<Long> candidates = new HashSet<>(victims);
        rank.running.keySet().stream().filter(admissions::containsKey).forEach(candidates::add);
        assertFalse(rank.isRetiring(), () -> "requests " + victims + " are preempted while blocks are about to return");
        for (final long id : rank.running.keySet())
        {
            assertTrue(victims.contains(id) || !RequestProbe.isLeaving(scheduler.request(id)),
                () -> "requests " + victims + " are preempted while request " + id + " is about to leave");
        }
        assertTrue(candidates.stream().anyMatch(id -> isSettled(id)),
            () -> "requests " + victims + " are preempted for one that has an entry in flight");
        assertTrue(victims.size() == 1 || candidates.stream().allMatch(id -> isSettled(id)),
            () -> "requests " + victims + " are preempted in one plan");
        if (victims.size() == 1)
        {
            final Request victim = scheduler.request(victims.get(0));
            candidates.forEach(id -> assertTrue(
                id == victim.id() || pauses.isExempt(id) || goesLater(scheduler.request(id), victim),
                () -> "request " + victim.id() + " is preempted instead of request " + id));
        }
    }

    /** Whether the request had no entry in flight when the step was planned. */
    private boolean isSettled(final long id)
    {
        return rank.stepsOf(id).stream().allMatch(step -> step == plannedStep);
    }

    private boolean goesLater(final Request other, final Request victim)
    {
        return other.priority() > victim.priority() ||
            other.priority() == victim.priority() && admissions.get(other.id()) < admissions.get(victim.id());
    }
}
