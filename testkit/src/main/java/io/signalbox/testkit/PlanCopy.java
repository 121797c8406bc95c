// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;

import java.util.ArrayList;
import java.util.List;

/** The part of a step plan that the contract needs, kept beyond the call that brought it. */
record PlanCopy(int epoch, int rank, long step, int tokens, List<Entry> entries)
{
    /** One entry of the plan; {@code count} tokens from {@code start}, which may be up to {@code slack} further on. */
    record Entry(long requestId, int start, int slack, int count, int end, int drafts, boolean samples)
    {
        /** Positions from the start of the result that count as computed. */
        int computed(final int begin, final int accepted)
        {
            final int fed = !samples ? count : accepted == 0 ? 0 : count - drafts + accepted - 1;
            return Math.max(0, Math.min(fed, end - begin));
        }
    }

    static PlanCopy of(final StepView plan)
    {
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < plan.entryCount(); i++)
        {
            entries.add(new Entry(plan.requestId(i), plan.start(i), plan.slack(i), plan.tokenCount(i), plan.end(i),
                plan.drafts(i), plan.samples(i)));
        }
        return new PlanCopy(plan.epoch(), plan.rank(), plan.step(), plan.tokens(), entries);
    }

    String name()
    {
        return "step " + step + " of rank " + rank;
    }

    /** The fault of the results, in words that follow the backend's name, or null. */
    String fault(final StepTokens results)
    {
        if (results == null)
        {
            return "reported " + name() + " complete without its tokens";
        }
        if (results.epoch() != epoch || results.rank() != rank || results.step() != step)
        {
            return "reported " + name() + " with the results of step " + results.step() + " of rank " + results.rank() +
                (results.epoch() == epoch ? "" : " in epoch " + results.epoch());
        }
        if (results.entryCount() != entries.size())
        {
            return "reported " + results.entryCount() + " entries for " + name() + ", which has " + entries.size();
        }
        for (int i = 0; i < entries.size(); i++)
        {
            final String fault = fault(i, entries.get(i), results.start(i), results.accepted(i));
            if (fault != null)
            {
                return fault;
            }
        }
        return null;
    }

    private String fault(final int index, final Entry entry, final int start, final int accepted)
    {
        final String where = "reported entry " + index + " of " + name() + " ";
        if (start < entry.start || start > entry.start + entry.slack)
        {
            return where + "to start at position " + start + ", and it starts at " + entry.start +
                (entry.slack == 0 ? "" : " to " + (entry.start + entry.slack));
        }
        final int least = entry.samples && start < entry.end ? 1 : 0;
        final int most = entry.samples ? 1 + entry.drafts : 0;
        return accepted >= least && accepted <= most ? null : where + "with " + accepted + " accepted tokens, and it " +
            (most == 0 ? "samples none" : "accepts " + least + (most == least ? "" : " to " + most));
    }
}
