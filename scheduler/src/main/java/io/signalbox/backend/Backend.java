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

    /** Called once, before {@link #start}: the sizes of the ranks. A backend without KV memory ignores them. */
    default void sizes(final RankSizes sizes)
    {
    }

    /**
     * Called once, before the first plan.
     *
     * @param shape the rows to capture, or {@code null} if capture is disabled.
     */
    void start(int ranks, ModelShape shape, CompletionSink completions);

    /**
     * Accepts one step. Called by one thread at a time, not always the same one. Never blocks: the planner holds the credits
     * of each rank, so at most {@link BackendCapabilities#depth()} steps of it are in flight. An entry with a predecessor
     * takes its first token from the entry of an earlier step that {@link StepView#predecessorBack} names, and starts behind
     * what that entry accepted. A backend that declares to read tokens finds them, block tables and sampling parameters in
     * {@link StepView#request}.
     *
     * @param step valid only during the call.
     */
    void submit(StepView step);

    /**
     * The step was withdrawn: its result is no longer wanted; a completion that still comes is ignored and counted. The step
     * may have been reported before. It either never runs, or has written its last before a later step of the rank begins.
     */
    void abort(int rank, long step);

    /**
     * Every step that is submitted from now on is computed with new weights, every step that was submitted before with the
     * former ones, although it may still be in flight. {@link StepView#weightGeneration} says the same of each step. Must
     * not wait for steps in flight; called by the thread that submits, and only if {@link BackendCapabilities#swapsWeights}.
     *
     * @param generation counts from 1.
     * @param version    name of the weights, as the application announced them; empty if it gave none.
     */
    default void newWeights(final int generation, final String version)
    {
        throw new UnsupportedOperationException(
            capabilities().name() + " cannot replace its weights by generation " + generation);
    }

    /**
     * Weights of this version are about to be announced: the backend keeps them until {@link #newWeights} switches to them.
     * The engine asks before it sequences the announcement, in the thread that made it, and also before a run continues with
     * weights that replaced others.
     *
     * @throws IllegalArgumentException if the backend does not have such weights; nothing is announced then.
     */
    default void expectWeights(final String version)
    {
    }

    /**
     * Brings a lost rank back, if {@link BackendCapabilities#resetsRanks}: returns when no earlier step writes to the rank's
     * memory any more and the rank takes steps again. Every step of the rank was withdrawn and aborted before, unless
     * somebody asked for the reset of a rank that is not lost. Called by a thread that may wait.
     *
     * @return whether the KV blocks of the rank have kept their content.
     * @throws RuntimeException if the rank cannot be brought back now.
     */
    default boolean reset(final int rank)
    {
        throw new UnsupportedOperationException("the backend " + capabilities().name() + " cannot reset rank " + rank);
    }

    /** How long a step of this backend may be in flight unless the engine's setting says otherwise; 0: no limit. */
    default long stepTimeoutNanos()
    {
        return 0;
    }

    /** The most time that {@link #close} may take, if that is longer than the engine's setting; 0: the engine's setting. */
    default long closeTimeoutNanos()
    {
        return 0;
    }

    /**
     * Ends all work. After the return, the backend must not report. The engine calls this method in a separate thread. If
     * the call does not return in time, the engine interrupts the thread and leaves it.
     */
    @Override
    void close();
}
