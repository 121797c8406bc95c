// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import org.agrona.collections.LongArrayList;

/** Receives the timeline of a journal. Times are logical nanoseconds; those of one rank's steps do not overlap. */
public interface TimelineReceiver
{
    /** The rank of a mark that concerns none. */
    int NO_RANK = -1;
    /** The request of a mark that concerns none. */
    long NO_REQUEST = Long.MIN_VALUE;

    /** Before anything else. */
    void onRun(int ranks);

    /**
     * A step was committed.
     *
     * @param requests those that the step admitted, to which it gave the first token, or that it ended; valid during the
     *                 call.
     */
    void onStep(int rank, long step, long beginNanos, long endNanos, int entries, int tokens, LongArrayList requests);

    /**
     * Something happened at one time.
     *
     * @param rank      {@link #NO_RANK} if it concerns none.
     * @param requestId {@link #NO_REQUEST} if it concerns none.
     */
    void onMark(int rank, long nanos, String name, long requestId);

    /** Figures of a rank changed. */
    void onFigures(int rank, long nanos, long blocksInUse, long runningRequests);

    /**
     * Called last.
     *
     * @param openSteps steps that were planned in the window and had not ended when the journal ends.
     */
    void onEnd(long openSteps);
}
