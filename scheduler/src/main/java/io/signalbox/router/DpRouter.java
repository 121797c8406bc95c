// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import java.nio.ByteBuffer;

/**
 * Chooses a DP rank for each request of a batch. The decisions depend only on the batch and on state that the router kept
 * from earlier batches: the same batches in the same order give the same decisions on any machine.
 *
 * <p>A router records each {@link PlacementBatch#candidate candidate} with the terms of its score, so that the journal
 * explains the decision, and then {@link PlacementBatch#choose chooses}. Requests reach the ranks and the journal in the
 * order of the choices. A router reads only the batch, accepts every batch, never chooses a lost rank, and allocates
 * nothing once its tables have grown to the load. Requests that it does not place stay queued; if a rank is idle, it
 * places at least one. If the batch has no more requests than the ranks have room for, it fills no rank beyond its cap.
 */
public interface DpRouter
{
    /** Places the requests of the batch. */
    void place(PlacementBatch batch);

    /** Whether the router reads prefix matches; if false, the batch has none. */
    boolean readsMatches();

    /** Whether a request that the router cannot place now keeps those behind it waiting. */
    default boolean keepsOrder()
    {
        return false;
    }

    /**
     * Called when a request has ended by a stop token or by its length. The state that a router keeps of it is part of
     * {@link #digest} and {@link #snapshot}.
     *
     * @param outputTokens that it generated.
     */
    default void ended(final int outputTokens)
    {
        // Most routers predict nothing.
    }

    /** Digest of the state that the router keeps from one batch to the next; 0 if it keeps none. */
    long digest();

    /** Bytes that {@link #snapshot} writes; 0 if the router keeps no state. */
    default long snapshotBytes()
    {
        return 0;
    }

    /** Writes all state that the router keeps from one batch to the next; {@link RouterSnapshot} adds header and digest. */
    default void snapshot(final ByteBuffer into)
    {
        // Most routers remember nothing.
    }

    /**
     * Reads the state that {@link #snapshot} wrote, into a router that has placed nothing yet.
     *
     * @throws io.signalbox.ConfigException if a router with these knobs and ranks cannot have this state.
     */
    default void restore(final ByteBuffer from, final int ranks)
    {
        // Most routers remember nothing.
    }
}
