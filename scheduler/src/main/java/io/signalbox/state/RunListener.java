// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;

/**
 * Follows a run through a {@link RunFold}: receives each event with the request that it is about. Override the methods that
 * matter; all others do nothing.
 *
 * <p>A message, its variable-length fields unread, and a request are valid only during the call. A request is {@code null}
 * if its Submit is not among the groups; only a fold that begins within a run has such requests.
 */
public interface RunListener
{
    /** The groups continue a run that was in this state. */
    default void onState(final FoldedState state)
    {
    }

    /** Called before the messages of a group. */
    default void onGroup(final long nowNanos)
    {
    }

    /** Called behind the messages of a group. */
    default void onGroupEnd()
    {
    }

    default void onSubmit(final SubmitDecoder submit)
    {
    }

    default void onAccepted(final RunRequest request)
    {
    }

    default void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
    }

    default void onCancel(final RunRequest request, final CancelDecoder cancel)
    {
    }

    default void onControl(final ControlDecoder control)
    {
    }

    default void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
    }

    /** A step was planned. {@link #onBlocksInUse} was called before; {@link #onAdmitted} follows. */
    default void onStep(final StepView plan)
    {
    }

    /**
     * The request runs from this step on.
     *
     * @param index of the admission in the plan.
     */
    default void onAdmitted(final RunRequest request, final StepView plan, final int index)
    {
    }

    /** The number of KV blocks changed that live requests of the rank hold. */
    default void onBlocksInUse(final int rank, final int blocksInUse, final int change)
    {
    }

    default void onForward(final ForwardDecoder launch)
    {
    }

    /** The results of a step came; if they count, {@link #onLanded} follows. */
    default void onCompletion(final CompletionView completion)
    {
    }

    default void onFault(final BackendFaultDecoder fault)
    {
    }

    default void onTimedOut(final StepTimedOutDecoder timeout)
    {
    }

    /** Called ahead of {@link #onTokens} for the first tokens of a request that has a Submit among the groups. */
    default void onFirstToken(final RunRequest request)
    {
    }

    /**
     * Tokens of the request became visible.
     *
     * @param sinceNanos time since the tokens before; {@link RunRequest#UNKNOWN} for the first ones, and if it is not known.
     */
    default void onTokens(final RunRequest request, final int count, final long sinceNanos)
    {
    }

    /**
     * The step was committed; {@link #onTokens} of its requests came before.
     *
     * @param step has its counts; {@link RunStep#isKnown} only if it was planned in the groups.
     */
    default void onLanded(final RunStep step, final CommitView commit)
    {
    }

    /**
     * The step will never be committed.
     *
     * @param step {@link RunStep#isKnown} only if it was planned in the groups.
     */
    default void onWithdrawn(final RunStep step, final WithdrawnDecoder withdrawn)
    {
    }

    /** The step of the admission that {@link RunRequest#matchedBlocks} is of was withdrawn: nothing was matched. */
    default void onAdmissionWithdrawn(final RunRequest request)
    {
    }

    /** The request does not run any more, if it did; {@link #onRequeued} or {@link #onEnded} follows. */
    default void onStopped(final RunRequest request)
    {
    }

    default void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
    }

    default void onPaused(final RunRequest request, final PausedDecoder paused)
    {
    }

    default void onContinued(final RunRequest request, final ContinuedDecoder continued)
    {
    }

    default void onReset(final BackendResetDecoder reset)
    {
    }

    default void onDigest(final DigestDecoder digest)
    {
    }

    default void onNewWeights(final NewWeightsDecoder change)
    {
    }

    default void onEnded(final RunRequest request, final FreeDecoder end)
    {
    }
}
