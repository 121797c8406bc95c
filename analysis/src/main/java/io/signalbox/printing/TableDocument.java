// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.JsonInline;
import io.signalbox.JsonName;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.RunMoment;

import java.nio.file.Path;
import java.util.List;

/**
 * The document of a table. {@link TablePrinter} writes the rows as they come, and holds none.
 *
 * @param path  directory of the journal
 * @param rows  rows of the table
 * @param count rows that there are, also if {@code --limit} printed fewer
 * @param end   what was read
 */
record TableDocument(Path path, List<? extends Record> rows, long count, @JsonInline End end)
{
    /** The fields after the rows. */
    sealed interface End
    {
    }

    /**
     * The end of a table that was read from a whole journal.
     *
     * @param journalEnd how the journal ends
     */
    record OfJournal(JournalEnd journalEnd) implements End
    {
    }

    /**
     * The end of a table of routed experts.
     *
     * @param missingRows tokens whose rows of routed experts are missing, which the table does not count
     * @param journalEnd  how the journal ends
     */
    record OfExperts(long missingRows, JournalEnd journalEnd) implements End
    {
    }

    /**
     * The end of a table about one moment.
     *
     * @param record      record of the last group that counts; −1: none
     * @param timeNanos   latest logical time of a group so far
     * @param firstRecord record at which reading began; 0: no snapshot was used
     * @param passedOver  damaged or foreign snapshots that were not used; the text form has the reasons
     */
    record OfMoment(long record, @JsonName("seconds") long timeNanos, long firstRecord, int passedOver) implements End
    {
        static OfMoment of(final RunMoment moment)
        {
            return new OfMoment(
                moment.record(), moment.state().timeNanos(), moment.firstRecord(), moment.passedOver().size());
        }
    }
}
