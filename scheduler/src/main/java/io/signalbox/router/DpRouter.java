// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import java.nio.ByteBuffer;

/**
 * Chooses a DP rank for each request of a batch. A function of the batch and of what the router remembers of the batches
 * before it: the same batches in the same order give the same decisions on any machine.
 *
 * <p>A router notes each {@link PlacementBatch#candidate candidate} with the terms of its score, so that the journal can
 * tell why, and then {@link PlacementBatch#choose chooses}; the order of the choices is the order in which requests reach
 * the ranks and the journal. It reads nothing but the batch, is total on every batch, never chooses a lost rank, and
 * allocates nothing once its tables have grown to the load. What it cannot place it leaves; the caller keeps that queued.
 * While the batch holds no more requests than the ranks have room for, no rank is filled beyond its cap.
 */
public interface DpRouter
{
    /** Places the requests of the batch. */
    void place(PlacementBatch batch);

    /** Whether matches are worth probing for; where not, the batch has none. */
    boolean readsMatches();

    /** Whether a request that it cannot place now keeps those behind it waiting. */
    default boolean keepsOrder()
    {
        return false;
    }

    /** Digest of what the router remembers from one batch to the next; 0 where that is nothing. */
    long digest();

    /** Bytes that {@link #snapshot} writes; 0 where nothing is remembered. */
    default long snapshotBytes()
    {
        return 0;
    }

    /** Writes all that it remembers from one batch to the next; {@link RouterSnapshot} puts it between its bounds. */
    default void snapshot(final ByteBuffer into)
    {
        // Most routers remember nothing.
    }

    /**
     * Reads what {@link #snapshot} wrote, into a router that has placed nothing yet.
     *
     * @throws io.signalbox.ConfigException when no router of these knobs and ranks can remember that.
     */
    default void restore(final ByteBuffer from, final int ranks)
    {
        // Most routers remember nothing.
    }
}
