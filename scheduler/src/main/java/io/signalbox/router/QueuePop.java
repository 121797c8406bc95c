// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/**
 * Chooses the requests that leave the queue to be placed, as TensorRT-LLM's queue does: in order of arrival while the
 * ranks have room. A request that is bound to a full rank is set aside and does not block those behind it.
 */
public final class QueuePop
{
    /** Verdict on a queued request. */
    public enum Answer
    {
        TAKEN,
        /** Returns to the front of the queue, in its order. */
        SET_ASIDE,
        /** Stays in the queue, and so do all requests behind it. */
        NO_ROOM
    }

    private long room;

    /** @param roomLeft total number of requests that the ranks have room for. */
    public void begin(final long roomLeft)
    {
        room = roomLeft;
    }

    public long room()
    {
        return room;
    }

    /**
     * Judges the next request of the queue.
     *
     * @param rankHint a rank, or {@link PlacementBatch#NO_RANK}.
     * @param places   number of requests that it becomes: one, and one for each child.
     * @param claimed  by rank, the active requests and the ones that a strict hint has claimed the rank for; the method
     *                 adds to it.
     * @param maxActive largest number of requests of a rank.
     */
    public Answer next(final int rankHint, final Relax relax, final int places, final int[] claimed, final int maxActive)
    {
        if (places > room)
        {
            return Answer.NO_ROOM;
        }
        final boolean bound = rankHint != PlacementBatch.NO_RANK && (relax == Relax.STRICT || relax == Relax.UNSTATED);
        if (bound && claimed[rankHint] >= maxActive)
        {
            return Answer.SET_ASIDE;
        }
        if (bound)
        {
            claimed[rankHint]++;
        }
        room -= places;
        return Answer.TAKEN;
    }
}
