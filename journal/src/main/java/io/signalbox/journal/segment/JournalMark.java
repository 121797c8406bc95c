// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/**
 * The place behind a group, from which a scan can continue.
 *
 * @param place                  the journal up to and with the group.
 * @param segment                segment that has it.
 * @param position               position of the group's document in the segment's file.
 * @param segmentRecords         chained records of the segment, the group included.
 * @param recordsOfSegmentBefore chained records of the segment before.
 */
public record JournalMark(
    JournalPosition place, int segment, long position, long segmentRecords, long recordsOfSegmentBefore)
{
    /** Whether the walker's current record is the mark's group: its bytes are whole, and its link is the mark's. */
    boolean isOf(final SegmentWalker walker)
    {
        final byte[] bytes = walker.bytes();
        final int start = walker.start();
        return walker.position() == position && Envelope.sequence(bytes, start) == place.records() - 1 &&
            Envelope.chain(bytes, start) == place.chain() &&
            Envelope.typeCode(bytes, start) == RecordType.GROUP.code() &&
            Envelope.version(bytes, start) == Envelope.SCHEMA_VERSION &&
            Envelope.place(bytes, start) == Envelope.place(segment, position + SegmentWalker.HEADER_BYTES);
    }
}
