// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.FaultClass;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads the groups of ranks in lock-step and checks that all ranks are in the same step, that every rank that is not lost
 * gets each step, and that no step begins before the last one has ended on all ranks.
 */
final class StepsTogether extends EventReader
{
    private final int ranks;
    private final Set<Integer> inFlight = new TreeSet<>();
    private final Set<Integer> lost = new TreeSet<>();
    private final Set<Integer> scheduled = new TreeSet<>();
    private long step;
    private int emptyPlans;

    private StepsTogether(final int ranks)
    {
        this.ranks = ranks;
    }

    /** @return number of empty plans. */
    static int check(final int ranks, final List<byte[]> groups)
    {
        final StepsTogether steps = new StepsTogether(ranks);
        groups.forEach(steps::onGroup);
        return steps.emptyPlans;
    }

    private void onGroup(final byte[] bytes)
    {
        scheduled.clear();
        readGroup(new UnsafeBuffer(bytes), 0, bytes.length);
        if (!scheduled.isEmpty())
        {
            final Set<Integer> expected = new TreeSet<>();
            for (int rank = 0; rank < ranks; rank++)
            {
                expected.add(rank);
            }
            expected.removeAll(lost);
            assertEquals(expected, scheduled, "ranks that take step " + step);
        }
    }

    @Override
    protected void onD2hComplete(final CompletionView done)
    {
        assertEquals(step, done.step());
        assertTrue(inFlight.remove(done.rank()));
    }

    @Override
    protected void onBackendFault(final BackendFaultDecoder fault)
    {
        assertTrue(inFlight.remove(fault.rank()));
        if (fault.faultClass() == FaultClass.RANK_LOST)
        {
            lost.add(fault.rank());
        }
    }

    @Override
    protected void onBackendReset(final BackendResetDecoder reset)
    {
        inFlight.clear();
        lost.clear();
    }

    @Override
    protected void onSchedule(final StepView plan)
    {
        if (scheduled.isEmpty())
        {
            assertTrue(inFlight.isEmpty(), "step " + plan.step() + " begins while step " + step + " runs on " + inFlight);
            step++;
        }
        assertEquals(step, plan.step());
        assertTrue(scheduled.add(plan.rank()));
        inFlight.add(plan.rank());
        emptyPlans += plan.tokens() == 0 ? 1 : 0;
    }
}
