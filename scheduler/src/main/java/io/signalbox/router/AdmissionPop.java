// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/**
 * Which requests are taken off the queue to be placed, after TensorRT-LLM's admission: in order of arrival while the
 * ranks have room, but a request that is bound to a full rank is set aside, and does not hold up those behind it.
 */
public final class AdmissionPop
{
    /** What becomes of a queued request. */
    public enum Verdict
    {
        TAKEN,
        /** Goes back to the front of the queue, in its order. */
        SET_ASIDE,
        /** Stays where it is, and so do all behind it. */
        NO_ROOM
    }

    private long room;

    /** @param roomLeft requests that the ranks can take in all. */
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
     * @param places   how many requests it becomes: one, and one for each child.
     * @param claimed  requests by rank: those that are there, and those that were taken for it by a strict hint, which
     *                 this adds to.
     * @param maxActive most requests a rank may hold.
     */
    public Verdict next(final int rankHint, final Relax relax, final int places, final int[] claimed, final int maxActive)
    {
        if (places > room)
        {
            return Verdict.NO_ROOM;
        }
        final boolean bound = rankHint != PlacementBatch.NO_RANK && (relax == Relax.STRICT || relax == Relax.UNSTATED);
        if (bound && claimed[rankHint] >= maxActive)
        {
            return Verdict.SET_ASIDE;
        }
        if (bound)
        {
            claimed[rankHint]++;
        }
        room -= places;
        return Verdict.TAKEN;
    }
}
