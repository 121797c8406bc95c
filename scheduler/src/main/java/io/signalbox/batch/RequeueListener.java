// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Notified of each request that gives up its KV blocks and waits again, before they are released. */
@FunctionalInterface
public interface RequeueListener
{
    /** @param preempted whether another request needed the blocks; else a step that computed it was withdrawn. */
    void onRequeue(Request request, boolean preempted);
}
