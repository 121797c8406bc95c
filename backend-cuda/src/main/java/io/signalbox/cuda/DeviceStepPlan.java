// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;
import io.signalbox.event.StepView;
import io.signalbox.serving.WeightSets.StepWeights;

/** The part of a step plan that the device needs, out of the track's slot, which is used again once the call returns. */
final class DeviceStepPlan
{
    private final long[] requestIds;
    private final int[] positions;
    private final int[] lastTokens;
    private final int[] starts;
    private final int[] samples;
    private final int[] places;
    /** Null if the model reads no tokens. */
    private final DeviceFeed feed;
    private StepWeights<WeightSlot> weights;
    private long step;
    private int epoch;
    private int tokens;
    private int entries;
    private int sampled;

    /**
     * @param maxTokens the most tokens, and so the most entries, of one step.
     * @param limits    of the decoder that reads tokens and block tables, or null.
     */
    DeviceStepPlan(final int maxTokens, final DecoderLimits limits)
    {
        requestIds = new long[maxTokens];
        positions = new int[maxTokens];
        lastTokens = new int[maxTokens];
        starts = new int[maxTokens];
        samples = new int[maxTokens];
        places = new int[maxTokens];
        feed = limits == null ? null : new DeviceFeed(maxTokens, limits);
    }

    void read(final StepView plan)
    {
        step = plan.step();
        epoch = plan.epoch();
        tokens = 0;
        entries = 0;
        sampled = 0;
        if (plan.tokens() > positions.length)
        {
            throw new InvariantViolation("step " + step + " of rank " + plan.rank() + " has " + plan.tokens() +
                " tokens; the backend was built for steps of " + positions.length);
        }
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            starts[entry] = plan.start(entry);
            addEntry(plan.requestId(entry), plan.start(entry), plan.tokenCount(entry),
                plan.samples(entry) ? 1 + plan.drafts(entry) : 0);
        }
        if (feed != null)
        {
            feed.read(plan);
        }
    }

    /** The step is in flight from now on. */
    void begin(final StepWeights<WeightSlot> computedWith)
    {
        weights = computedWith;
        if (weights.weights() != null)
        {
            weights.weights().begin();
        }
    }

    /** The device no longer reads weights for the step. */
    void end()
    {
        if (weights.weights() != null)
        {
            weights.weights().end();
        }
        weights = null;
    }

    /** The weights that the step computes with, until {@link #end}. */
    StepWeights<WeightSlot> weights()
    {
        return weights;
    }

    /** @param sampling tokens that it samples, one behind each of its last tokens. */
    private void addEntry(final long requestId, final int start, final int count, final int sampling)
    {
        for (int i = 0; i < count; i++)
        {
            requestIds[tokens] = requestId;
            positions[tokens] = start + i;
            tokens++;
        }
        samples[entries] = sampling > 0 ? sampled : -1;
        places[entries] = sampling;
        entries++;
        for (int token = tokens - sampling; token < tokens; token++)
        {
            lastTokens[sampled++] = token;
        }
    }

    long step()
    {
        return step;
    }

    int epoch()
    {
        return epoch;
    }

    int tokens()
    {
        return tokens;
    }

    /** Entries of the plan. */
    int entries()
    {
        return entries;
    }

    /** Tokens that the step samples. */
    int sampled()
    {
        return sampled;
    }

    /** Null if the model reads no tokens. */
    DeviceFeed feed()
    {
        return feed;
    }

    long requestId(final int token)
    {
        return requestIds[token];
    }

    int position(final int token)
    {
        return positions[token];
    }

    /** Position of the first token of an entry, the lowest one if it is not known. */
    int start(final int entry)
    {
        return starts[entry];
    }

    /** The place of the first token that an entry samples among those of the step; -1: it samples none. */
    int samples(final int entry)
    {
        return samples[entry];
    }

    /** How many tokens an entry samples: one behind the token that it must feed, and one behind each draft token. */
    int places(final int entry)
    {
        return places[entry];
    }

    /** Index of the token behind which a token is sampled. */
    int lastToken(final int place)
    {
        return lastTokens[place];
    }
}
