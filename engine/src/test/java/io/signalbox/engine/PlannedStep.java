// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;

import java.util.Arrays;

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

    /** The same step with the starts of its entries that the device knows. */
    PlannedStep startingAt(final int... real)
    {
        return new PlannedStep(epoch, rank, step, tokens, real, sampling);
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

    private StepTokens sampled(final StepTokens results, final int token)
    {
        for (int entry = 0; entry < starts.length; entry++)
        {
            results.entry(starts[entry]);
            if (sampling[entry])
            {
                results.accept(token);
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
