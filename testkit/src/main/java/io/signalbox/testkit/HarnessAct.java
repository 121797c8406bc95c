// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

/**
 * One act of a {@link HarnessPlay}.
 *
 * @param choice the rank or the request, counted round; an act that is not possible when its turn comes does nothing.
 */
public record HarnessAct(Kind kind, int choice)
{
    /** The kind of an act. */
    public enum Kind
    {
        /** Submits the next request of the workload. */
        SUBMIT,
        /** Reports the launch of a step of a rank. */
        LAUNCH,
        /** Completes the oldest step of a rank. */
        COMPLETE,
        /** Lets the oldest step of a rank fail. */
        FAIL,
        /** Lets the oldest step of a rank end in the loss of the rank. */
        LOSE,
        /** Cancels a request that was submitted. */
        CANCEL,
        /** Forgets every cached prefix. */
        RESET_CACHE,
        /** Replaces the weights; running requests compute anew. */
        NEW_WEIGHTS
    }
}
