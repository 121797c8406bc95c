// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.JsonName;
import io.signalbox.journal.Ending;
import io.signalbox.journal.VoidedInput;

import java.util.List;

/**
 * All events of one request id in a journal.
 *
 * @param ranks     of the run.
 * @param lives     one per Submit with this id, in their order; an id may come again once its request has ended.
 * @param endNanos  logical time of the last group that was read.
 * @param restarts  engines that continued the run, in their order.
 * @param voided    inputs that an operator declared void; their groups are left out.
 * @param submitted the Submits of the journal, for a message about an id that it does not have.
 */
public record RequestInspection(
    long requestId,
    int ranks,
    List<RequestLife> lives,
    JournalEnd end,
    long groups,
    long endNanos,
    List<Restart> restarts,
    List<VoidedInput> voided,
    SubmittedIds submitted)
{
    /**
     * The first group of an engine that continued the run.
     *
     * @param record    first record of the engine
     * @param timeNanos logical time of that record
     * @param epoch     epoch of the ranks that began
     * @param withdrawn steps that were in flight
     * @param requeued  requests that were running
     */
    public record Restart(
        long record, @JsonName("seconds") long timeNanos, int epoch, @JsonName("withdrawnSteps") int withdrawn,
        @JsonName("requeuedRequests") int requeued)
    {
    }

    /** How the journal ends behind what was read. */
    public enum JournalEnd
    {
        CLOSED,
        /** The disk was full and cut the run short. */
        DISK_FULL,
        /** The run failed. */
        FAILED,
        /** Its writer was stopped, and recovery closed it. */
        RECOVERED,
        /** Its writer was stopped. */
        NOT_CLOSED,
        /** The journal is still being written, so more may follow. */
        BEING_WRITTEN;

        /** The end of a journal that no process is writing. */
        public static JournalEnd of(final Ending ending)
        {
            return switch (ending)
            {
                case CLOSED -> CLOSED;
                case DISK_FULL -> DISK_FULL;
                case FAILED -> FAILED;
                case RECOVERED -> RECOVERED;
                case OPEN -> NOT_CLOSED;
            };
        }
    }

    /** Every Submit, refused ones included; both ids are 0 if {@code count} is. */
    public record SubmittedIds(long count, long lowestId, long highestId)
    {
    }
}
