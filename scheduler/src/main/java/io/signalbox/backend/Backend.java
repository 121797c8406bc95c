// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/**
 * Executes step plans, one at a time per DP rank, and reports to a {@link CompletionSink} later, in any order across
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
     * Accepts one step. Never blocks: the planner holds one credit per rank, so at most one step per rank is in flight.
     *
     * @param step valid only during the call.
     */
    void submit(StepView step);

    /** The result of the step is no longer wanted; a completion that still comes is ignored and counted. */
    void abort(int rank, long step);

    /** How long a step of this backend may be in flight unless the engine's setting says otherwise; 0: no limit. */
    default long stepTimeoutNanos()
    {
        return 0;
    }

    @Override
    void close();
}
