// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect.history;

/**
 * Something that happened to a rank or to the run, as the journal has it.
 *
 * @param timeNanos logical time.
 * @param record    record of its group.
 * @param rank      -1: every rank.
 * @param detail    reason, version or way; empty if there is none.
 */
public record Happening(long timeNanos, long record, Kind kind, int rank, String detail)
{
    /** What happened. */
    public enum Kind
    {
        /** A step failed. */
        STEP_FAILED,
        /** A step was in flight for too long. */
        STEP_TIMED_OUT,
        /** The rank takes no further step until it is reset. */
        RANK_LOST,
        /** The engine does not reset the lost rank again. */
        RANK_GIVEN_UP,
        /** The backend of the rank began again. */
        RESET,
        /** An engine continued the run. */
        RESTART,
        /** The weights were replaced. */
        NEW_WEIGHTS
    }
}
