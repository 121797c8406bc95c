// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.GroupCursor;
import io.signalbox.journal.segment.UnreadableGroup;
import org.agrona.DirectBuffer;

import java.util.List;

/** The groups of a journal, one after another: read as they are asked for, or {@linkplain ReadAhead ahead}. */
public interface GroupSource extends GroupCursor
{
    /**
     * The groups from the next one on, read by another thread if this machine has a core for it. The reader belongs to that
     * thread until {@link #stop()}, or until {@link #next()} has returned false.
     */
    static GroupSource ahead(final JournalReader reader)
    {
        return ReadAhead.of(reader);
    }

    /** As {@link JournalReader#next()}. */
    @Override
    boolean next();

    /** The rows that the current group refers to; {@code null} if it refers to none. Valid as long as the group. */
    DirectBuffer rows();

    long timeNanos();

    /** Sequence number of the current group's record. */
    long sequence();

    /** Records up to the current group; all of them once {@link #next()} has returned false. */
    long records();

    long groups();

    /** The chained hash over these records, as 16 hexadecimal digits. */
    String digest();

    /** How the journal ends; OPEN before {@link #next()} has returned false. */
    Ending ending();

    /** The inputs that were declared void, in the order of their records. */
    List<VoidedInput> voided();

    /** A {@link JournalException} with the record; its kind is CORRUPT_RECORD. */
    @Override
    default JournalException undecodable(final Throwable cause)
    {
        return UnreadableGroup.undecodable(sequence(), cause);
    }

    /** Ends what reads ahead; a reader that it began with belongs to its owner again, and stays open. */
    default void stop()
    {
    }
}
