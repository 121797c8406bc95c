// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Notified of what happens to running requests when KV blocks are short, a step is withdrawn, or weights are new. */
@FunctionalInterface
public interface BatchListener
{
    /** The request gives up its KV blocks and waits again; called before they are released. */
    void onRequeue(Request request, RequeueCause cause);

    /** The request keeps its KV blocks, and gets no entry until it is continued. */
    default void onPause(final Request request)
    {
    }

    /** The request is paused no longer: the plan in work has an entry of it. */
    default void onContinue(final Request request)
    {
    }
}
