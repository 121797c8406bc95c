// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import java.util.Map;
import java.util.TreeMap;

/** Progress of a scan: in the journal, in the segment, and up to the last whole group. */
public final class ScanProgress
{
    private long records;
    private long groups;
    private long chain = Chain.START;
    private long bytes;
    private long link;
    private boolean groupOpen;
    private long segmentRecords;
    private long recordsOfSegmentBefore;
    private boolean segmentEmpty;
    private long syncedMark = Envelope.NOT_SYNCED;
    private long committedRecords;
    private long committedChain = Chain.START;
    private long committedBytes;
    private long committedSegmentRecords;
    private long committedPosition;
    private final Map<Integer, Long> segmentEnds = new TreeMap<>();
    private SegmentStart segmentStart;

    /** Begins at a segment, as if the journal had been read up to there. */
    void begin(final SegmentStart start)
    {
        records = start.place().records();
        groups = start.place().groups();
        chain = start.place().chain();
        bytes = start.place().bytes();
        recordsOfSegmentBefore = start.recordsOfSegmentBefore();
        commit(0);
    }

    /** Continues behind the group at the mark; the next document is at {@code nextPosition}. */
    void resume(final JournalMark mark, final long nextPosition)
    {
        records = mark.place().records();
        groups = mark.place().groups();
        chain = mark.place().chain();
        bytes = mark.place().bytes();
        segmentRecords = mark.segmentRecords();
        recordsOfSegmentBefore = mark.recordsOfSegmentBefore();
        commit(nextPosition);
    }

    /** @param sealedBefore whether the segment before ends with a seal. */
    void beginSegment(final int segment, final boolean sealedBefore)
    {
        final JournalPosition place = new JournalPosition(records, groups, chain, bytes);
        segmentStart = new SegmentStart(segment, place, recordsOfSegmentBefore, sealedBefore);
        segmentRecords = 0;
        committedSegmentRecords = 0;
        committedPosition = 0;
        segmentEmpty = true;
    }

    void endSegment()
    {
        recordsOfSegmentBefore = segmentRecords;
    }

    void acceptContinuation(final long nextPosition)
    {
        segmentEmpty = false;
        committedPosition = nextPosition;
    }

    /** Counts the record whose link was computed last. */
    void accept(final RecordType type, final int length, final long nextPosition)
    {
        segmentEmpty = false;
        records++;
        segmentRecords++;
        bytes += length;
        chain = link;
        groupOpen = type == RecordType.ROWS;
        if (type == RecordType.GROUP)
        {
            groups++;
        }
        if (!groupOpen)
        {
            commit(nextPosition);
        }
    }

    private void commit(final long nextPosition)
    {
        committedRecords = records;
        committedChain = chain;
        committedBytes = bytes;
        committedSegmentRecords = segmentRecords;
        committedPosition = nextPosition;
    }

    /** The journal up to its last whole group. */
    JournalPosition committed()
    {
        return new JournalPosition(committedRecords, groups, committedChain, committedBytes);
    }

    long committedSegmentRecords()
    {
        return committedSegmentRecords;
    }

    /** Position in the segment's file at which the last whole group, or its continuation, ends. */
    long committedPosition()
    {
        return committedPosition;
    }

    /** Of the segment that is being read; {@code null} if the scan began within it. */
    public SegmentStart segmentStart()
    {
        return segmentStart;
    }

    void ended(final int segment, final long endPosition)
    {
        segmentEnds.put(segment, endPosition);
    }

    /** Position behind the last record of each segment that was read to its seal, or to a cut that the next one declares. */
    public Map<Integer, Long> segmentEnds()
    {
        return segmentEnds;
    }

    void link(final long value)
    {
        link = value;
    }

    long link()
    {
        return link;
    }

    void mark(final long syncedSequence)
    {
        syncedMark = Math.max(syncedMark, syncedSequence);
    }

    /** Whether the record expected next is known to have been synced. */
    boolean isBelowMark()
    {
        return records <= syncedMark;
    }

    long records()
    {
        return records;
    }

    long groups()
    {
        return groups;
    }

    long chain()
    {
        return chain;
    }

    boolean groupOpen()
    {
        return groupOpen;
    }

    long segmentRecords()
    {
        return segmentRecords;
    }

    long recordsOfSegmentBefore()
    {
        return recordsOfSegmentBefore;
    }

    /** Whether the segment has a continuation, and nothing else yet. */
    boolean isFirstBehindContinuation()
    {
        return !segmentEmpty && segmentRecords == 0;
    }

    boolean isSegmentEmpty()
    {
        return segmentEmpty;
    }
}
