// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Notified of each request that gives up its KV blocks and waits again, before they are released. */
@FunctionalInterface
public interface RequeueListener
{
    void onRequeue(Request request, RequeueCause cause);
}
