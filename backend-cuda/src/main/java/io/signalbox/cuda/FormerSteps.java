// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import java.util.Arrays;

/** Where the device keeps the tokens that the last steps of a rank sampled, for steps that continue them. */
final class FormerSteps
{
    private final int maxTokens;
    private final long[] steps;
    private final int[] slots;
    /** By entry of the plan, its place among the sampled tokens of the step. */
    private final int[][] places;
    private int next;

    FormerSteps(final int stepsInFlight, final int maxTokens)
    {
        this.maxTokens = maxTokens;
        final int kept = stepsInFlight + 1;
        steps = new long[kept];
        slots = new int[kept];
        places = new int[kept][maxTokens];
        Arrays.fill(steps, -1);
    }

    /** @param slot of the capture ring in which the step samples. */
    void keep(final DeviceStepPlan plan, final int slot)
    {
        steps[next] = plan.step();
        slots[next] = slot;
        for (int entry = 0; entry < plan.entries(); entry++)
        {
            places[next][entry] = plan.samples(entry);
        }
        next = (next + 1) % steps.length;
    }

    /** The index, among the sampled tokens of all slots, of the token that an entry of a former step sampled; -1: none. */
    int sampled(final long step, final int entry)
    {
        for (int i = 0; i < steps.length; i++)
        {
            if (steps[i] == step && places[i][entry] >= 0)
            {
                return slots[i] * maxTokens + places[i][entry];
            }
        }
        return -1;
    }
}
