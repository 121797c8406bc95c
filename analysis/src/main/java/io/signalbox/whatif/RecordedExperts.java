// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.experts.RoutedExperts;

/** The routed experts of a recorded run. */
@FunctionalInterface
public interface RecordedExperts
{
    /** Receives the rows of one request. */
    @FunctionalInterface
    interface Receiver
    {
        /** @param rows those of the positions from 0 on that the recorded run computed. */
        void onRequest(long requestId, RoutedExperts rows);
    }

    /** Hands out the rows of each request that has any, once. */
    void forEach(Receiver receiver);
}
