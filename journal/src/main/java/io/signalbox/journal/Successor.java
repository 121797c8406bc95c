// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/**
 * What is known of a segment's end from the segments behind it.
 *
 * @param followed       a later segment holds records, or should.
 * @param declared       the next segment's continuation was read.
 * @param sequence       records of the journal ahead of that continuation.
 * @param sealed         it says that the segment ahead of it ends with a seal, and was not cut.
 * @param syncedSequence the synced mark that it carries.
 */
record Successor(boolean followed, boolean declared, long sequence, boolean sealed, long syncedSequence)
{
    private static final Successor NONE = new Successor(false, false, 0, false, Envelope.NOT_SYNCED);
    private static final Successor UNREADABLE = new Successor(true, false, 0, false, Envelope.NOT_SYNCED);

    /** Looks at the first record of the segment behind {@code segment}. */
    static Successor of(final JournalFiles files, final int segment)
    {
        final int next = segment + 1;
        if (next >= files.segmentCount())
        {
            return NONE;
        }
        if (!files.exists(next))
        {
            return UNREADABLE;
        }
        final boolean last = next + 1 == files.segmentCount();
        final ByteSource source = files.open(next);
        if (source == null)
        {
            return last ? NONE : UNREADABLE;
        }
        try (SegmentWalker walker = new SegmentWalker(next, source, null))
        {
            if (walker.next() == SegmentWalker.Document.RECORD && SegmentCount.isContinuation(walker, next))
            {
                return new Successor(true, true, Envelope.sequence(walker.bytes(), walker.start()),
                    SegmentCount.closing(walker), Envelope.syncedSequence(walker.bytes(), walker.start()));
            }
            return last && !TailSearch.behind(next, source, 0).found() ? NONE : UNREADABLE;
        }
    }

    /** Whether the segment ahead was cut where {@code sequence} would have stood. */
    boolean cutsAt(final long expectedSequence)
    {
        return declared && !sealed && sequence == expectedSequence;
    }
}
