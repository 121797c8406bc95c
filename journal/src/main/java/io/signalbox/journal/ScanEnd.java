// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/**
 * Where a scan ended.
 *
 * @param position      the journal up to its last whole group.
 * @param sealed        whether the journal was closed there.
 * @param segments      segments that hold records.
 * @param lastRecords   chained records of the last of them, up to its last whole group.
 * @param lastSealed    whether that one ends with a seal.
 * @param cutFrom       where in its file a torn tail starts; -1 where there is none.
 * @param cutTo         where that tail ends.
 * @param emptySegment  number of a segment that was created and holds no record; -1 where there is none.
 */
record ScanEnd(
    JournalPosition position,
    boolean sealed,
    int segments,
    long lastRecords,
    boolean lastSealed,
    long cutFrom,
    long cutTo,
    int emptySegment)
{
}
