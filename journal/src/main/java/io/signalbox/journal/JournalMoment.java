// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/**
 * The last group that counts for a state.
 *
 * @param record    groups of later records do not count.
 * @param timeNanos a group of a later logical time does not count, nor do those behind it.
 */
public record JournalMoment(long record, long timeNanos)
{
    /** Behind the last group of the journal. */
    public static final JournalMoment END = new JournalMoment(Long.MAX_VALUE, Long.MAX_VALUE);

    public static JournalMoment atRecord(final long record)
    {
        return new JournalMoment(record, Long.MAX_VALUE);
    }

    public static JournalMoment atTime(final long timeNanos)
    {
        return new JournalMoment(Long.MAX_VALUE, timeNanos);
    }

    boolean includes(final long groupRecord, final long groupTimeNanos)
    {
        return groupRecord <= record && groupTimeNanos <= timeNanos;
    }
}
