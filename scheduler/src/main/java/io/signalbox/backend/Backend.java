// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/**
 * Executes step plans, up to {@link BackendCapabilities#depth()} at a time per DP rank, and
 * reports to a {@link CompletionSink} later, in any order across
 * ranks. Everything a backend does for the scheduler goes through these methods.
 */
public interface Backend extends AutoCloseable
{
    BackendCapabilities capabilities();

    /**
     * Called once, before the first plan.
     *
     * @param shape the rows to capture, or {@code null} if capture is disabled.
     */
    void start(int ranks, ModelShape shape, CompletionSink completions);

    /**
     * Accepts one step. Never blocks: the planner holds the credits of each rank, so at most {@link
     * BackendCapabilities#depth()} steps of it are in flight. An entry with a predecessor takes its first token from the
     * entry of an earlier step that {@link StepView#predecessorBack} names, and starts behind what that entry accepted.
     *
     * @param step valid only during the call.
     */
    void submit(StepView step);

    /**
     * The step was withdrawn: its result is no longer wanted; a completion that still comes is ignored and counted. The step
     * may have been reported before. It either never runs, or has written its last before a later step of the rank begins.
     */
    void abort(int rank, long step);

    /** Whether the backend can replace the weights of its model between two steps, without a restart. */
    default boolean swapsWeights()
    {
        return false;
    }

    /**
     * Every step that is submitted from now on is computed with new weights, every step that was submitted before with the
     * former ones, although it may still be in flight. {@link StepView#weightGeneration} says the same of each step. Which
     * weights these are is agreed between the application and its backend. Must not wait for steps in flight; called only
     * if {@link #swapsWeights()}.
     *
     * @param generation counts from 1.
     */
    default void newWeights(final int generation)
    {
        throw new UnsupportedOperationException(
            capabilities().name() + " cannot replace its weights by generation " + generation);
    }

    /** How long a step of this backend may be in flight unless the engine's setting says otherwise; 0: no limit. */
    default long stepTimeoutNanos()
    {
        return 0;
    }

    @Override
    void close();
}
