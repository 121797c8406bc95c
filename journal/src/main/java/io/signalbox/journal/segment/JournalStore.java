// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.JournalException;

/**
 * Storage of records: Chronicle Queue in production, a simulated disk in tests. It stores bytes and does not interpret
 * them. A store serves one writer thread.
 */
public interface JournalStore
{
    /**
     * Creates the segment with this number; its name is durable when this returns. A segment is never opened again.
     *
     * @param largestRecordBytes length of the longest record of the segment.
     */
    Segment create(int number, int largestRecordBytes);

    /** This segment will soon be created. A store may create it in another thread meanwhile. */
    default void expect(int number, int largestRecordBytes)
    {
    }

    /** Removes the segment that was expected and not created. */
    default void expectNone()
    {
    }

    /** Free space for further segments. Called by any thread. */
    long usableBytes();

    /** Removes a segment that {@link #create} of this store created and whose owner has closed it. */
    void remove(int number);

    /**
     * Closes a segment that was sealed, and is never written again. It may be closed later, in another thread.
     *
     * @param endPosition position in its file behind the seal.
     */
    default void sealed(int number, Segment segment, long endPosition)
    {
        segment.close();
    }

    /** No segment follows. Returns once everything is done that sealed segments cause. */
    default void finish()
    {
    }

    /** One segment, open for appending. */
    interface Segment extends AutoCloseable
    {
        /**
         * Starts the next record.
         *
         * @return the byte position in the segment's file at which the record will be.
         * @throws JournalException DISK_FULL if no space is left; nothing has been written then.
         */
        long begin(int length);

        /** How much the free space that is kept for the next records is short of what is to be kept; 0: not at all. */
        long lackingBytes();

        /** Starts the last record, which may use the room that {@link #begin} keeps back: a full disk can be sealed. */
        long beginSeal(int length);

        /** Completes the record started last; once this returns, the record survives the death of this process. */
        void write(byte[] record, int length);

        /** Once this returns, all written records survive power loss. */
        void sync();

        /** The longest record that this segment accepts. */
        int largestRecordBytes();

        @Override
        void close();
    }
}
