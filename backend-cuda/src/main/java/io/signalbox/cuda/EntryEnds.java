// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import java.util.Arrays;

/** Where the entries of the last reported steps of a rank ended, and so where those that continue them start. */
final class EntryEnds
{
    private final long[] steps;
    private final int[][] ends;
    private int current;

    EntryEnds(final int stepsInFlight, final int maxTokens)
    {
        steps = new long[stepsInFlight + 1];
        ends = new int[stepsInFlight + 1][maxTokens];
        Arrays.fill(steps, -1);
    }

    void begin(final long step)
    {
        current = (current + 1) % steps.length;
        steps[current] = step;
    }

    /** @param end behind the last position that counts. */
    void add(final int entry, final int end)
    {
        ends[current][entry] = end;
    }

    /** The end of an entry of a former step; {@code otherwise} if that step has not been reported. */
    int end(final long step, final int entry, final int otherwise)
    {
        for (int i = 0; i < steps.length; i++)
        {
            if (steps[i] == step && i != current)
            {
                return ends[i][entry];
            }
        }
        return otherwise;
    }
}
