// SPDX-License-Identifier: Apache-2.0
package com.example.backend;

import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;
import io.signalbox.model.forward.TokenSampler.SamplingChoice;

import java.util.ArrayList;
import java.util.List;

/** A copy of a step plan, which is valid during {@code submit} only. */
record BigramStep(int epoch, int rank, long number, int tokens, List<Entry> entries)
{
    /**
     * One request's part of the step.
     *
     * @param first  position of the first one of the copied tokens.
     * @param copied the tokens of the entry, and those before it that their states need.
     */
    record Entry(int start, int end, boolean samples, SamplingChoice sampling, int first, int[] copied)
    {
        int token(final int position)
        {
            return copied[position - first];
        }
    }

    static BigramStep of(final StepView plan, final int window)
    {
        final List<Entry> entries = new ArrayList<>();
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final RequestContent request = plan.request(entry);
            final int end = plan.start(entry) + plan.tokenCount(entry);
            final int first = Math.max(0, plan.start(entry) + 1 - window);
            final int[] copied = new int[end - first];
            for (int i = 0; i < copied.length; i++)
            {
                copied[i] = request.token(first + i);
            }
            final SamplingChoice sampling = new SamplingChoice(request.isGreedy() ? 0.0f : request.temperature(),
                request.topK(), request.topP(), request.samplingSeed());
            entries.add(new Entry(plan.start(entry), end, plan.samples(entry), sampling, first, copied));
        }
        return new BigramStep(plan.epoch(), plan.rank(), plan.step(), plan.tokens(), entries);
    }
}
