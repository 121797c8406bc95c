// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A good journal, and the digest after each of its records.
 *
 * @param digests after one record, after two, and so on.
 */
record JournalTruth(Path journal, List<String> digests)
{
    private static final Pattern FIGURE = Pattern.compile("\"(records|groups|digest)\" : \"?([0-9a-f]+)");

    static JournalTruth of(final Path journal) throws IOException
    {
        return new JournalTruth(journal, SlowJournal.records(journal).stream()
            .filter(SlowJournal.Whole::isChained).map(SlowJournal.Whole::digest).toList());
    }

    /**
     * Complaints about a report on an accepted journal. Its digest must be that of an original up to the records counted,
     * and it must count every whole group in the files.
     */
    static List<String> complaints(final String report, final Path journal, final List<JournalTruth> originals)
        throws IOException
    {
        final List<String> complaints = new ArrayList<>();
        final List<SlowJournal.Whole> whole = SlowJournal.records(journal);
        final long held = whole.stream()
            .filter(record -> record.type() == SlowJournal.GROUP && record.isInPlace()).count();
        long records = -1;
        final Matcher figures = FIGURE.matcher(report);
        while (figures.find())
        {
            final String value = figures.group(2);
            switch (figures.group(1))
            {
                case "records" -> records = Long.parseLong(value);
                case "groups" ->
                {
                    if (Long.parseLong(value) != held)
                    {
                        complaints.add("journal: " + value + " groups were accepted, and the files hold " + held);
                    }
                }
                default ->
                {
                    if (!isDigest(value, records, originals) && !(records == 0 && whole.isEmpty()))
                    {
                        complaints.add("journal: " + records + " records were accepted with the digest " + value +
                            ", which no original has there");
                    }
                }
            }
        }
        return complaints;
    }

    private static boolean isDigest(final String digest, final long records, final List<JournalTruth> originals)
    {
        return originals.stream().anyMatch(original -> records >= 1 && records <= original.digests().size() &&
            original.digests().get((int)records - 1).equals(digest));
    }
}
