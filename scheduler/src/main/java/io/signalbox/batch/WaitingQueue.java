// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.saved.SavedFields;

/** The accepted requests that wait for a rank, in the order in which they leave. */
public interface WaitingQueue
{
    int size();

    boolean isEmpty();

    /** The request that leaves next. */
    Request first();

    /** Adds a request that was accepted. */
    void add(Request request);

    /** Removes the request that leaves next. */
    Request take();

    /** Returns a request that was taken; it leaves ahead of the others of its priority, or of its tenant. */
    void giveBack(Request request);

    /** Removes a request that ends before it was taken. */
    void remove(Request request);

    /** A request has ended that was taken. */
    void ended(Request request);

    /** Saves everything that decides the order, or restores it in an empty queue. */
    void save(SavedFields fields, RequestPlaces requests);

    /** Digest of everything that decides the order. */
    long digest();
}
