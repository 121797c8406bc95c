// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;
import io.signalbox.event.StepView;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;

/**
 * Plans on their way from the engine's dispatch thread to the thread of one rank: one producer, one consumer, no garbage.
 * It has a place for each step that may be in flight, so that it never blocks.
 */
final class PlanQueue
{
    private final OneToOneConcurrentArrayQueue<DeviceStepPlan> waiting;
    private final OneToOneConcurrentArrayQueue<DeviceStepPlan> free;

    PlanQueue(final int stepsInFlight, final int maxTokens)
    {
        waiting = new OneToOneConcurrentArrayQueue<>(stepsInFlight);
        free = new OneToOneConcurrentArrayQueue<>(stepsInFlight);
        for (int i = 0; i < stepsInFlight; i++)
        {
            free.add(new DeviceStepPlan(maxTokens));
        }
    }

    /** @param plan copied before the call returns. */
    void add(final StepView plan)
    {
        final DeviceStepPlan copy = free.poll();
        if (copy == null)
        {
            throw new InvariantViolation("rank " + plan.rank() + " was given step " + plan.step() + " while " +
                waiting.capacity() + " plans wait; the planner holds the credits of the steps in flight");
        }
        copy.read(plan);
        waiting.add(copy);
    }

    /** The next plan, which stays first until {@link #remove}; null: none. */
    DeviceStepPlan peek()
    {
        return waiting.peek();
    }

    void remove()
    {
        free.add(waiting.poll());
    }
}
