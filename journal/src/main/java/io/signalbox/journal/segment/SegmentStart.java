// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/**
 * The place at which a segment begins.
 *
 * @param segment                its number.
 * @param place                  the journal ahead of it.
 * @param recordsOfSegmentBefore chained records of the segment before.
 * @param sealedBefore           whether that segment ends with a seal, and was not cut.
 */
public record SegmentStart(int segment, JournalPosition place, long recordsOfSegmentBefore, boolean sealedBefore)
{
}
