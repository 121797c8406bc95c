// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.diff.JournalDiff;
import io.signalbox.diff.JournalDiff.ChangedRequest;
import io.signalbox.diff.JournalDiff.FirstDifference;
import io.signalbox.diff.JournalDiff.Requests;
import io.signalbox.diff.JournalDiff.Side;
import io.signalbox.printing.figures.FigureTable;
import io.signalbox.printing.figures.TextColumns;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Two journals side by side, as text. */
public final class DiffText
{
    private static final String ROW = "%-18s%s%n";
    private static final int MOST_CHARACTERS = 40;
    private static final double NANOS_PER_SECOND = 1e9;

    private final PrintStream out;
    private final JournalDiff diff;

    private DiffText(final PrintStream out, final JournalDiff diff)
    {
        this.out = out;
        this.diff = diff;
    }

    /** @param runs the two runs. */
    public static void print(final PrintStream out, final JournalDiff diff, final List<RunInspection> runs)
    {
        new DiffText(out, diff).print();
        figures(out, List.of("left", "right"), runs);
    }

    /** Prints the figures and the settings of three runs or more. */
    public static void print(final PrintStream out, final List<RunInspection> runs)
    {
        final List<String> names = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++)
        {
            names.add("run " + (i + 1));
            out.printf(ROW, names.get(i), Printable.text(runs.get(i).journal().path().toString()) + ": " +
                Decimals.counted(runs.get(i).journal().records(), "record") + ", " + runs.get(i).journalEnd());
        }
        figures(out, names, runs);
        final List<List<String>> lines = new ArrayList<>();
        lines.add(new ArrayList<>(List.of("setting")));
        lines.get(0).addAll(names);
        DiffDocument.differing(runs).forEach((name, values) ->
        {
            final List<String> line = new ArrayList<>(List.of(Printable.text(name)));
            values.forEach(value -> line.add(value == null ? ReportText.NO_DATA : shortened(Printable.text(value))));
            lines.add(line);
        });
        out.println();
        if (lines.size() == 1)
        {
            out.printf(ROW, "settings", "equal");
            return;
        }
        TextColumns.print(out, 1, lines);
    }

    /** A fault plan is longer than a line; the document has it whole. */
    private static String shortened(final String value)
    {
        return value.length() <= MOST_CHARACTERS ? value : value.substring(0, MOST_CHARACTERS - 1) + "\u2026";
    }

    private static void figures(final PrintStream out, final List<String> names, final List<RunInspection> runs)
    {
        out.println();
        FigureTable.print(out, names, runs.stream().map(RunInspection::report).toList());
    }

    private void print()
    {
        out.printf(ROW, "left", side(diff.left()));
        out.printf(ROW, "right", side(diff.right()));
        out.printf(ROW, "settings",
            diff.settings().isEmpty() ? "equal" : Decimals.grouped(diff.settings().size()) + " differ:");
        FieldTable.print(out, "left", "right", diff.settings());
        if (diff.withoutTokens())
        {
            out.printf(ROW, "tokens", "withheld in one of the journals, or keyed otherwise: tokens, block hashes, " +
                "log-probabilities");
            out.printf(ROW, "", "and digests are not compared; everything else is");
        }
        if (diff.ahead() > 0)
        {
            out.printf(ROW, "removed", "one journal has lost " + Decimals.grouped(diff.ahead()) + " records or more: " +
                (diff.isEqualAhead() ? "their links say that they are equal" : "what they had is not compared") +
                "; requests that were");
            out.printf(ROW, "", "submitted there are not compared");
        }
        if (diff.first() == null)
        {
            out.printf(ROW, "events", "all " + Decimals.grouped(diff.equalGroups()) + " groups are equal" +
                (diff.withoutTokens() ? " in what is compared" : ""));
        }
        else
        {
            first(diff.first());
        }
        requests(diff.requests());
    }

    private static String side(final Side side)
    {
        return side.path() + ": " + Decimals.counted(side.records(), "record") + ", " +
            Decimals.counted(side.groups(), "group") + ", " + EnumNames.words(side.ending()) + ", digest " + side.digest();
    }

    private void first(final FirstDifference first)
    {
        out.printf(ROW, "events", Decimals.grouped(diff.equalGroups()) + " groups are equal, then left " +
            record(first.leftRecord(), first.leftNanos()) + ", right " + record(first.rightRecord(), first.rightNanos()));
        out.printf(ROW, "first difference", "message " + first.difference().message() + " of the group" +
            (first.difference().requestId() < 0 ? "" : ", request " + first.difference().requestId()) +
            (first.difference().blockId() < 0 ? "" : ", block " + first.difference().blockId()) + ":");
        FieldTable.print(out, "left", "right", first.fields());
        if (first.omittedFields() > 0)
        {
            out.printf("  and %s more fields that differ; --json has both groups%n",
                Decimals.grouped(first.omittedFields()));
        }
    }

    private static String record(final long record, final long nanos)
    {
        return record < 0 ? "has ended" :
            "record " + Decimals.grouped(record) + " at " + Decimals.text(nanos / NANOS_PER_SECOND, 6) + " s";
    }

    private void requests(final Requests requests)
    {
        out.printf(ROW, "requests", Decimals.grouped(requests.compared()) + " in both, " +
            Decimals.grouped(requests.equal()) + " of them equal; " + Decimals.grouped(requests.onlyLeft()) +
            " only left, " + Decimals.grouped(requests.onlyRight()) + " only right" +
            (requests.notCompared() == 0 ? "" : "; " + Decimals.grouped(requests.notCompared()) + " not compared"));
        if (requests.matchedBy().equals("length"))
        {
            out.printf(ROW, "", "matched by the length of prompts, equal lengths in the order of their Submits: the ids " +
                "and most block hashes are others");
        }
        else if (requests.matchedBy().equals("prompt"))
        {
            out.printf(ROW, "", "matched by prompt, equal prompts in the order of their Submits: the ids are others");
        }
        else if (requests.otherPrompt() > 0)
        {
            out.printf(ROW, "", Decimals.grouped(requests.otherPrompt()) + " with the same id and another prompt");
        }
        if (requests.equal() < requests.compared())
        {
            out.printf(ROW, "", Decimals.grouped(requests.placedElsewhere()) + " placed elsewhere, " +
                Decimals.grouped(requests.otherCachedTokens()) + " with other cached tokens, " +
                Decimals.grouped(requests.otherTimes()) + " with other times, " +
                Decimals.grouped(requests.otherOutcome()) + " with another outcome");
            out.printf("%nThe most different requests, left / right:%n");
        }
        for (final ChangedRequest request : diff.worst())
        {
            out.printf("  request %-8s  %s%n", request.requestId(), String.join("; ", request.changes()));
        }
    }
}
