// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Notified of each request that loses its KV blocks because a step or a rank failed, before they are released. */
@FunctionalInterface
public interface RequeueListener
{
    void onRequeue(Request request, int releasedBlocks);
}
