// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.Ending;

/**
 * Result of a scan that reached the end.
 *
 * @param position      the journal up to its last whole group.
 * @param ending        how the journal ends there.
 * @param segments      segments that hold records.
 * @param lastRecords   chained records of the last of them, up to its last whole group.
 * @param lastSealed    whether that one ends with a seal.
 * @param tail          what follows these records in its file.
 * @param emptySegment  number of the first segment that was created and has no whole record; -1 if there is none.
 */
public record ScanEnd(
    JournalPosition position,
    Ending ending,
    int segments,
    long lastRecords,
    boolean lastSealed,
    Tail tail,
    int emptySegment)
{
    /**
     * Bytes after the last whole group of a file.
     *
     * @param cutFrom   position at which a torn tail starts; -1 if there is none.
     * @param cutTo     position at which that tail ends.
     * @param zerosFrom position behind which every byte is zero; -1 if that is not known.
     */
    public record Tail(long cutFrom, long cutTo, long zerosFrom)
    {
        static final Tail NONE = new Tail(-1, -1, -1);
    }

    public boolean sealed()
    {
        return ending.isSealed();
    }
}
