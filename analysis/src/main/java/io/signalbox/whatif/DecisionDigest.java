// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.StateDigest;
import io.signalbox.event.StepView;

import java.util.Locale;

/**
 * A digest over the decisions of a run and their times: refusals, placements, plans of steps, preemptions, pauses and ends.
 * Rows of routed experts and digests of the state are left out, so that a run with capture and one without have the same.
 */
final class DecisionDigest
{
    private long value;

    void add(final long first, final long second)
    {
        value = StateDigest.finalise(value ^ first) + second;
    }

    void addStep(final long timeNanos, final StepView plan)
    {
        add(timeNanos, plan.step());
        add(plan.rank(), (long)plan.evictedCount() << Integer.SIZE | plan.tokens());
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            add(plan.requestId(entry), (long)plan.start(entry) << Integer.SIZE | plan.tokenCount(entry));
        }
        for (int change = 0; change < plan.changeCount(); change++)
        {
            add(plan.changeRequestId(change), (long)plan.changeIndex(change) << Integer.SIZE | plan.changeBlockId(change));
        }
    }

    /** 16 hexadecimal digits. */
    String text()
    {
        return String.format(Locale.ROOT, "%016x", StateDigest.mix(value));
    }
}
