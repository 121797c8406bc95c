// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/**
 * Evidence about a segment's end from the segments that follow it.
 *
 * @param followed       a later segment has records, or should.
 * @param declared       the next segment's continuation was read.
 * @param sequence       records of the journal ahead of that continuation.
 * @param sealed         it says that the segment ahead of it ends with a seal, and was not cut.
 * @param syncedSequence the synced mark that it has.
 * @param foreign        why the next segment's records cannot be its own, as a clause; {@code null} if they can.
 */
record Successor(
    boolean followed, boolean declared, long sequence, boolean sealed, long syncedSequence, String foreign)
{
    private static final Successor NONE = undeclared(false, null);
    private static final Successor UNREADABLE = undeclared(true, null);

    private static Successor undeclared(final boolean followed, final String foreign)
    {
        return new Successor(followed, false, 0, false, Envelope.NOT_SYNCED, foreign);
    }

    /** Looks at the first record of the segment behind {@code segment}. */
    static Successor of(final JournalFiles files, final int segment, final SegmentCount count)
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
            if (walker.next() == SegmentWalker.Document.RECORD && count.isContinuation(walker, next))
            {
                return new Successor(true, true, Envelope.sequence(walker.bytes(), walker.start()),
                    count.sealedAhead(walker), Envelope.syncedSequence(walker.bytes(), walker.start()), null);
            }
            return withoutContinuation(files.name(next), next, last, source);
        }
    }

    /** Only a writer that was stopped leaves a segment without one whole record. */
    private static Successor withoutContinuation(
        final String name, final int number, final boolean last, final ByteSource source)
    {
        final TailSearch records = TailSearch.ofAnySegment(source);
        if (!records.found())
        {
            return last ? NONE : UNREADABLE;
        }
        final String where = "its record with sequence " + records.foundSequence() + " at byte " + records.foundAt();
        return undeclared(true, name + " does not begin with the continuation of segment " + (number - 1) + ", and " +
            where + (records.foundSegment() == number
                ? " shows that it did"
                : " says that it belongs to segment " + records.foundSegment()));
    }

    /** Whether the segment ahead was cut at the record with this sequence. */
    boolean cutsAt(final long expectedSequence)
    {
        return declared && !sealed && sequence == expectedSequence;
    }
}
