// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.util.Arrays;

/** How often the tokens of a step chose each expert of each layer. Reused. */
public final class ExpertCounts
{
    private final int layers;
    private final int experts;
    private final int topK;
    private final int idBytes;
    private final int[] decode;
    private final int[] prompt;

    public ExpertCounts(final int layers, final int experts, final int topK, final int idBytes)
    {
        this.layers = layers;
        this.experts = experts;
        this.topK = topK;
        this.idBytes = idBytes;
        decode = new int[layers * experts];
        prompt = new int[layers * experts];
    }

    public void clear()
    {
        Arrays.fill(decode, 0);
        Arrays.fill(prompt, 0);
    }

    /** Adds one row {@code [layer][k]} of little-endian ids. */
    public void add(final DirectBuffer rows, final int offset, final boolean isPrompt)
    {
        final int[] counts = isPrompt ? prompt : decode;
        int at = offset;
        for (int layer = 0; layer < layers; layer++)
        {
            for (int k = 0; k < topK; k++, at += idBytes)
            {
                final int expert = idBytes == 1 ? rows.getByte(at) & 0xFF :
                    rows.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
                counts[layer * experts + expert]++;
            }
        }
    }

    /** Sum over the layers of the slowest expert-parallel group of each. Groups hold consecutive experts. */
    double slowestFemtos(final ServedStepCost cost)
    {
        final int groups = cost.shape().expertGroups();
        double sum = 0;
        for (int layer = 0; layer < layers; layer++)
        {
            double slowest = 0;
            for (int group = 0; group < groups; group++)
            {
                final int from = layer * experts + (int)((long)group * experts / groups);
                final int to = layer * experts + (int)((group + 1L) * experts / groups);
                slowest = Math.max(slowest, femtos(cost, from, to));
            }
            sum += slowest;
        }
        return sum / layers;
    }

    private double femtos(final ServedStepCost cost, final int from, final int to)
    {
        int touched = 0;
        int promptOnly = 0;
        long assignments = 0;
        long promptAssignments = 0;
        int hottest = 0;
        int promptHottest = 0;
        for (int expert = from; expert < to; expert++)
        {
            touched += decode[expert] > 0 ? 1 : 0;
            promptOnly += decode[expert] == 0 && prompt[expert] > 0 ? 1 : 0;
            assignments += decode[expert];
            promptAssignments += prompt[expert];
            hottest = Math.max(hottest, decode[expert]);
            promptHottest = Math.max(promptHottest, prompt[expert]);
        }
        return cost.charge(touched, promptOnly, assignments, promptAssignments, hottest, promptHottest);
    }
}
