// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.event.StepView;
import io.signalbox.event.StepWriter;
import io.signalbox.serving.WeightSets.StepWeights;

/** Step plans made by hand. */
final class StepPlans
{
    static final int EPOCH = 5;
    static final StepWeights<WeightSlot> WEIGHTS = new StepWeights<>(new WeightSlot(0), null);

    private StepPlans()
    {
    }

    /** A plan with one entry for each request, of so many tokens from position 3. */
    static StepView plan(final int rank, final long step, final int entryTokens, final long... requests)
    {
        return plan(new StepWriter(), rank, step, entryTokens, requests);
    }

    /** The same in memory that is used again. */
    static StepView plan(
        final StepWriter writer, final int rank, final long step, final int entryTokens, final long... requests)
    {
        writer.begin(rank, EPOCH, step, entryTokens * requests.length, requests.length);
        for (final long request : requests)
        {
            writer.entry(request, 3, entryTokens);
        }
        return writer.view();
    }
}
