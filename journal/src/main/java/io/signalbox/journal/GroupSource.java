// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import org.agrona.DirectBuffer;

import java.util.List;

/** The groups of a journal for a re-run, one after another: read as they are asked for, or {@linkplain ReadAhead ahead}. */
interface GroupSource
{
    /** As {@link JournalReader#next()}. */
    boolean next();

    /** Holds the current group from byte 0; valid until the next call of {@link #next()}. */
    DirectBuffer group();

    int groupLength();

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

    /** Ends what reads ahead; a reader that it began with belongs to its owner again, and stays open. */
    default void stop()
    {
    }
}
