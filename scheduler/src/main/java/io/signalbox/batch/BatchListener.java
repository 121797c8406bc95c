// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Notified of what happens to running requests when KV blocks are short, or when a step of theirs is withdrawn. */
@FunctionalInterface
public interface BatchListener
{
    /**
     * The request gives up its KV blocks and waits again; called before they are released.
     *
     * @param preempted whether another request needed the blocks; else a step that computed it was withdrawn.
     */
    void onRequeue(Request request, boolean preempted);

    /** The request keeps its KV blocks, and gets no entry until it is continued. */
    default void onPause(final Request request)
    {
    }

    /** The request is paused no longer: the plan in work has an entry of it. */
    default void onContinue(final Request request)
    {
    }
}
