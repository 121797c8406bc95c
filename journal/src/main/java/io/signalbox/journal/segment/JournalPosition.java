// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/**
 * A position in a journal, between two records.
 *
 * @param records chained records: the next sequence number.
 * @param groups  groups among them.
 * @param chain   link of the last record.
 * @param bytes   length of all chained records, envelopes included.
 */
public record JournalPosition(long records, long groups, long chain, long bytes)
{
    public static final JournalPosition START = new JournalPosition(0, 0, Chain.START, 0);
}
