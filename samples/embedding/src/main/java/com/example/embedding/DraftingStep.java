// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.event.StepView;

import java.util.ArrayList;
import java.util.List;

/** A copy of a step plan, which is valid during {@code submit} only. */
record DraftingStep(int epoch, int rank, long number, int tokens, List<Entry> entries)
{
    /**
     * One request's part of the step.
     *
     * @param start      position of the first token; without host tokens, the lowest possible one.
     * @param end        no token at this position or above may be computed.
     * @param hostTokens the first tokens of the entry, as far as the host knows them.
     * @param drafts     draft tokens to feed after them.
     * @param samples    whether a token follows; a chunk within a prompt samples none.
     * @param stepsBack  without host tokens: how many steps earlier the first token was sampled.
     * @param source     without host tokens: the entry of that step which sampled it.
     */
    record Entry(int start, int end, int[] hostTokens, int drafts, boolean samples, int stepsBack, int source)
    {
    }

    static DraftingStep of(final StepView plan)
    {
        final List<Entry> entries = new ArrayList<>();
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final int[] known = new int[plan.hostTokens(entry)];
            for (int i = 0; i < known.length; i++)
            {
                known[i] = plan.request(entry).token(plan.start(entry) + i);
            }
            entries.add(new Entry(plan.start(entry), plan.end(entry), known, plan.drafts(entry), plan.samples(entry),
                plan.predecessorBack(entry), plan.predecessorEntry(entry)));
        }
        return new DraftingStep(plan.epoch(), plan.rank(), plan.step(), plan.tokens(), entries);
    }
}
