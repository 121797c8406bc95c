// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.event.StepView;

import java.util.ArrayList;
import java.util.List;

/** The part of a plan that a comparison needs; the plan itself is valid during its submission only. */
record RecordedPlan(StepName name, List<Entry> entries)
{
    /** One entry: {@code count} tokens, {@code drafts} of them at the end; no position at or above {@code end} counts. */
    record Entry(long requestId, int count, int end, int drafts, boolean samples)
    {
        /** Tokens from {@code start} on that the step computed; the rows of the others mean nothing. */
        int computed(final int start, final int accepted)
        {
            final int fed = !samples ? count : accepted == 0 ? 0 : count - drafts + accepted - 1;
            return Math.max(0, Math.min(fed, end - start));
        }
    }

    static RecordedPlan of(final StepView plan)
    {
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < plan.entryCount(); i++)
        {
            entries.add(new Entry(
                plan.requestId(i), plan.tokenCount(i), plan.end(i), plan.drafts(i), plan.samples(i)));
        }
        return new RecordedPlan(new StepName(plan.rank(), plan.step()), entries);
    }
}
