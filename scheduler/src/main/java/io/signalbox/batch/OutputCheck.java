// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * Compares what a backend reports of a step with its plan. A backend is not trusted: what cannot be true is a fault of the
 * step, never a wrong token or row.
 */
public final class OutputCheck
{
    private OutputCheck()
    {
    }

    /** Why the output cannot be that of the plan, as the end of a sentence that begins with the step; null if it can. */
    public static String fault(final StepPlan plan, final StepOutput output)
    {
        int entry = firstInQuestion(plan, output, 0);
        while (entry < plan.entryCount())
        {
            final String fault = fault(plan, entry, output.start(entry), output.accepted(entry));
            if (fault != null)
            {
                return "cannot be true of entry " + entry + ", request " + plan.entryRequestId(entry) + ": " + fault;
            }
            entry = firstInQuestion(plan, output, entry + 1);
        }
        return null;
    }

    /** The first entry from there on whose report is not foregone; the number of entries if there is none. */
    private static int firstInQuestion(final StepPlan plan, final StepOutput output, final int from)
    {
        int entry = from;
        while (entry < plan.entryCount() && plan.isForegone(entry, output.start(entry), output.accepted(entry)))
        {
            entry++;
        }
        return entry;
    }

    private static String fault(final StepPlan plan, final int entry, final int start, final int accepted)
    {
        final int lowest = plan.entryStart(entry);
        final int highest = lowest + plan.entrySlack(entry);
        if (start < lowest || start > highest)
        {
            return "it starts at position " + start + ", not within " + lowest + " to " + highest;
        }
        final boolean isVoid = plan.isLateBound(entry) && start >= plan.entryEnd(entry);
        final int least = plan.samples(entry) && !isVoid ? 1 : 0;
        final int most = least == 0 ? 0 : plan.isLateBound(entry) ?
            Math.min(plan.entryTokens(entry), plan.entryEnd(entry) - start) : 1;
        if (accepted < least || accepted > most)
        {
            return "it accepts " + accepted + " tokens, not " + least + (most > least ? " to " + most : "");
        }
        final Request request = plan.entryRequest(entry);
        if (plan.isOwned(entry) && !request.isEnding() && start != request.computedTokens)
        {
            return "it starts at position " + start + ", but its request has computed " + request.computedTokens +
                " tokens";
        }
        return null;
    }
}
