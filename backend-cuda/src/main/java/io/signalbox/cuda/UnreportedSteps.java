// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;

/** The plans of one rank whose steps were launched and not yet reported, first in first out. */
final class UnreportedSteps
{
    private final DeviceStepPlan[] plans;
    private int first;
    private int count;

    UnreportedSteps(final int capacity)
    {
        plans = new DeviceStepPlan[capacity];
    }

    void add(final DeviceStepPlan plan)
    {
        if (count == plans.length)
        {
            throw new InvariantViolation("step " + plan.step() + " was launched with " + count + " steps in flight");
        }
        plans[(first + count) % plans.length] = plan;
        count++;
    }

    int count()
    {
        return count;
    }

    /** The first one; there must be one. */
    DeviceStepPlan remove()
    {
        final DeviceStepPlan plan = plans[first];
        first = (first + 1) % plans.length;
        count--;
        return plan;
    }
}
