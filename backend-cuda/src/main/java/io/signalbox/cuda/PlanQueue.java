// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;
import io.signalbox.event.StepView;
import io.signalbox.serving.WeightSets.StepWeights;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;

/**
 * Plans on their way from the engine's dispatch thread to the thread of one rank: one producer, one consumer, no garbage.
 * A plan is used again once its step was reported. There are places for twice the steps in flight, since steps that were
 * withdrawn may still run when their successors come, so that it never blocks.
 */
final class PlanQueue
{
    private final OneToOneConcurrentArrayQueue<DeviceStepPlan> waiting;
    private final OneToOneConcurrentArrayQueue<DeviceStepPlan> free;

    /** @param limits of the decoder that reads tokens, or null. */
    PlanQueue(final int stepsInFlight, final int maxTokens, final DecoderLimits limits)
    {
        final int places = 2 * stepsInFlight + 1;
        waiting = new OneToOneConcurrentArrayQueue<>(places);
        free = new OneToOneConcurrentArrayQueue<>(places);
        for (int i = 0; i < places; i++)
        {
            free.add(new DeviceStepPlan(maxTokens, limits));
        }
    }

    /**
     * @param plan    copied before the call returns.
     * @param weights the weights that the step computes with.
     */
    void add(final StepView plan, final StepWeights<WeightSlot> weights)
    {
        final DeviceStepPlan copy = free.poll();
        if (copy == null)
        {
            throw new InvariantViolation("rank " + plan.rank() + " was given step " + plan.step() + " while " +
                "each of its plans waits or runs; the planner holds the credits of the steps in flight");
        }
        copy.read(plan);
        copy.begin(weights);
        waiting.add(copy);
    }

    /** The next plan, which stays first until {@link #take}; null: none. */
    DeviceStepPlan peek()
    {
        return waiting.peek();
    }

    /** Takes the next plan, which is the caller's until {@link #giveBack}; there must be one. */
    DeviceStepPlan take()
    {
        return waiting.poll();
    }

    void giveBack(final DeviceStepPlan plan)
    {
        plan.end();
        free.add(plan);
    }
}
