// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/** A plan that outlives the call that brought it, and the results that a backend without draft tokens makes of it. */
record PlannedStep(int epoch, int rank, long step, int tokens, int[] starts, boolean[] sampling)
{
    static PlannedStep of(final StepView plan)
    {
        final int[] starts = new int[plan.entryCount()];
        final boolean[] sampling = new boolean[plan.entryCount()];
        for (int entry = 0; entry < starts.length; entry++)
        {
            starts[entry] = plan.start(entry);
            sampling[entry] = plan.samples(entry);
        }
        return new PlannedStep(plan.epoch(), plan.rank(), plan.step(), plan.tokens(), starts, sampling);
    }

    int entries()
    {
        return starts.length;
    }

    /** Every entry that samples samples token 0. */
    StepTokens sampled()
    {
        return sampled(0);
    }

    /** Every entry that samples samples this token. */
    StepTokens sampled(final int token)
    {
        return sampled(new StepTokens().begin(epoch, rank, step), token);
    }

    /** The same results under the name of another step. */
    StepTokens sampledAs(final int otherEpoch, final int otherRank, final long otherStep)
    {
        return sampled(new StepTokens().begin(otherEpoch, otherRank, otherStep), 0);
    }

    /** Every entry that samples samples its token. */
    StepTokens sampled(final IntUnaryOperator tokenOfEntry)
    {
        return sampled(new StepTokens().begin(epoch, rank, step), tokenOfEntry);
    }

    private StepTokens sampled(final StepTokens results, final int token)
    {
        return sampled(results, entry -> token);
    }

    private StepTokens sampled(final StepTokens results, final IntUnaryOperator tokenOfEntry)
    {
        for (int entry = 0; entry < starts.length; entry++)
        {
            results.entry(starts[entry]);
            if (sampling[entry])
            {
                results.accept(tokenOfEntry.applyAsInt(entry));
            }
        }
        return results;
    }

    /** As {@link #sampled()} with another number of entries. */
    StepTokens ofEntries(final int count)
    {
        return new PlannedStep(epoch, rank, step, tokens, Arrays.copyOf(starts, count), Arrays.copyOf(sampling, count))
            .sampled();
    }
}
