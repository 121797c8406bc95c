// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;
import io.signalbox.event.StepView;

/** The part of a step plan that the device needs, out of the track's slot, which is used again once the call returns. */
final class DeviceStepPlan
{
    private final long[] requestIds;
    private final int[] positions;
    private final int[] lastTokens;
    private final int[] starts;
    private final boolean[] sampling;
    private long step;
    private int epoch;
    private int tokens;
    private int entries;

    /** @param maxTokens the most tokens, and so the most entries, of one step. */
    DeviceStepPlan(final int maxTokens)
    {
        requestIds = new long[maxTokens];
        positions = new int[maxTokens];
        lastTokens = new int[maxTokens];
        starts = new int[maxTokens];
        sampling = new boolean[maxTokens];
    }

    void read(final StepView plan)
    {
        step = plan.step();
        epoch = plan.epoch();
        tokens = 0;
        entries = 0;
        if (plan.tokens() > positions.length)
        {
            throw new InvariantViolation("step " + step + " of rank " + plan.rank() + " has " + plan.tokens() +
                " tokens; the backend was built for steps of " + positions.length);
        }
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            starts[entries] = plan.start(entry);
            sampling[entries] = plan.samples(entry);
            addEntry(plan.requestId(entry), plan.start(entry), plan.tokenCount(entry));
        }
    }

    private void addEntry(final long requestId, final int start, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            requestIds[tokens] = requestId;
            positions[tokens] = start + i;
            tokens++;
        }
        lastTokens[entries] = tokens - 1;
        entries++;
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

    /** Entries of the plan, each of which samples one token. */
    int entries()
    {
        return entries;
    }

    long requestId(final int token)
    {
        return requestIds[token];
    }

    int position(final int token)
    {
        return positions[token];
    }

    /** Position of the first token of an entry. */
    int start(final int entry)
    {
        return starts[entry];
    }

    /** Whether the token that an entry samples is one of its request. */
    boolean samples(final int entry)
    {
        return sampling[entry];
    }

    /** Index of the last token of an entry. */
    int lastToken(final int entry)
    {
        return lastTokens[entry];
    }
}
