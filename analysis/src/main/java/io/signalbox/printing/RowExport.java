// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;
import io.signalbox.DocumentSchema;
import io.signalbox.config.Setting;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.RoutedExperts.RowState;
import io.signalbox.export.RoutedExpertsFile;
import io.signalbox.inspect.EndedRequest;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.RowReplay;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

/** Writes the rows of requests as they end, each in files of its id, and counts them. */
public final class RowExport implements RowReplay.Receiver
{
    public static final Setting<Integer> START = Setting.integer("start", "tokens", 0, 0, Integer.MAX_VALUE,
        "Position of the first row of each request.")
        .option("--start", "N", "Begin with the row of position N of each request");
    public static final Setting<RowSplit> SPLIT = Setting.constant("split", RowSplit.ALL,
        "Which rows are written: all, those of prompt tokens, or those of generated tokens.")
        .option("--split", "PART",
            "Export all rows, or only those of prompt tokens (prompt) or of generated ones (generated)");
    public static final Setting<RowFormat> FORMAT = Setting.constant("format", RowFormat.NPY, "The form of the ids.")
        .option("--format", "FORM", "Write ID.npy (npy), ID.npz with state, layers and weights beside the ids (npz), " +
            "ID.parquet with a row per position and layer (parquet), or the ids in ID.json (json)");
    public static final Setting<Boolean> MASKED = Setting.choice("inherited", false, List.of(false, true),
        isMasked -> isMasked ? "MASK" : "KEEP", "Ids of inherited rows: KEEP, or MASK with -1 in their place.")
        .option("--inherited", "IDS", "Keep the ids of inherited rows (keep), or write -1 in their place (mask)");
    /** Which rows are written, and how. */
    public static final List<Setting<?>> SETTINGS = List.of(START, SPLIT, FORMAT, MASKED);

    /** @param masked whether ids of inherited rows are replaced by -1. */
    public record Form(int start, RowSplit split, RowFormat format, boolean masked)
    {
        /** @throws ConfigException if the position is negative. */
        public Form
        {
            START.check(start);
        }
    }

    private final NewDirectory directory;
    private final Form form;
    /** Ids that are wanted and were not exported yet; {@code null}: all. */
    private final TreeSet<Long> wanted;
    private final TreeSet<Long> left;
    private final TreeSet<Long> rowless = new TreeSet<>();
    private long requests;
    private long withoutRows;
    /** Exported requests of which no row is in the asked part. */
    private long empty;
    private int mostRows;
    private long captured;
    private long inherited;
    private long missing;
    private long bytes;

    /** @param requestIds {@code null}: all. */
    public RowExport(final NewDirectory directory, final Form form, final TreeSet<Long> requestIds)
    {
        this.directory = directory;
        this.form = form;
        wanted = requestIds;
        left = requestIds == null ? new TreeSet<>() : new TreeSet<>(requestIds);
    }

    @Override
    public void onEnded(final EndedRequest request)
    {
        if (wanted != null && !wanted.contains(request.requestId()))
        {
            return;
        }
        left.remove(request.requestId());
        if (!request.hasRows())
        {
            withoutRows++;
            if (wanted != null)
            {
                rowless.add(request.requestId());
            }
            return;
        }
        try
        {
            write(request);
        }
        catch (final IOException e)
        {
            throw directory.refused(e);
        }
    }

    private void write(final EndedRequest request) throws IOException
    {
        final int computed = request.computedTokens();
        final int end = form.split == RowSplit.PROMPT ? Math.min(computed, request.promptTokens()) : computed;
        final int begin = Math.min(end,
            form.split == RowSplit.GENERATED ? Math.max(form.start, request.promptTokens()) : form.start);
        empty += begin == end ? 1 : 0;
        mostRows = Math.max(mostRows, computed);
        final RoutedExperts all = request.rows(begin, end);
        final RoutedExperts rows = form.masked ? all.withoutInherited() : all;
        final String base = base(request.requestId());
        final String name = form.format.fileName(base);
        if (name != null)
        {
            final Path file = directory.file(name);
            form.format.write(rows, file);
            bytes += Files.size(file);
        }
        final String weights = form.format == RowFormat.NPY && rows.hasCombineWeights() ? base + ".weights.npy" : null;
        if (weights != null)
        {
            RoutedExpertsFile.combineWeightsNpy(rows, directory.file(weights));
            bytes += Files.size(directory.file(weights));
        }
        final byte[] description =
            JsonDocument.text(RowDescription.of(request, rows, name, weights, form.masked)).getBytes(StandardCharsets.UTF_8);
        Files.write(directory.file(base + ".json"), description);
        bytes += description.length;
        requests++;
        captured += rows.count(RowState.CAPTURED);
        inherited += rows.count(RowState.INHERITED);
        missing += rows.count(RowState.MISSING);
    }

    /** The id; with a number if an earlier request had the same id. */
    private String base(final long requestId)
    {
        String base = Long.toString(requestId);
        for (int life = 2; Files.exists(directory.file(base + ".json")); life++)
        {
            base = requestId + "." + life;
        }
        return base;
    }

    /**
     * Lets the directory appear if every wanted request is in it.
     *
     * @throws ConfigException that names the first one that is not.
     */
    public void publish(final Path journal, final RowReplay.Outcome outcome)
    {
        if (!rowless.isEmpty())
        {
            throw new ConfigException("--request=" + rowless.first() + " asked for no rows, so the scheduler kept none; " +
                "give a request that did, or submit it with CompletionRequest.routedExperts.");
        }
        if (!left.isEmpty() && outcome.submitted().count() > 0)
        {
            throw new ConfigException("--request=" + left.first() + " has no rows in " + journal +
                ": no request of this id has ended in its " + Decimals.grouped(outcome.submitted().count()) +
                " Submits, whose ids are " + outcome.submitted().lowestId() + " to " + outcome.submitted().highestId() +
                (outcome.firstRecord() == 0 ? "" : " and which begin at record " + outcome.firstRecord() +
                    ": rows of requests that ended earlier are gone") + "; give one that has.");
        }
        if (requests == 0)
        {
            throw new ConfigException(journal + " has no rows of routed experts: " + rowless(outcome));
        }
        if (form.start > 0 && empty == requests)
        {
            throw new ConfigException("--start=" + form.start + " is behind the rows of every request that would be " +
                "exported; the longest has " + Decimals.counted(mostRows, "row") + ", of which --split may leave " +
                "a part; give a lower position.");
        }
        directory.publish();
    }

    /** The reason why the requests have no rows, and the remedy. */
    private String rowless(final RowReplay.Outcome outcome)
    {
        if (withoutRows > 0)
        {
            return "no request that ended had asked for them; submit requests with CompletionRequest.routedExperts, " +
                "or run with --experts.";
        }
        return outcome.submitted().count() + outcome.unfinished() == 0
            ? "it has no request; give the journal of a run that served requests."
            : "no request of it has ended" + (outcome.end() == JournalEnd.BEING_WRITTEN
                ? "; give this command again after one has." : "; give the journal of a run that served requests.");
    }

    /** The export as JSON. */
    public String json(final Path journal, final RowReplay.Outcome outcome)
    {
        return JsonDocument.text(new ExportDocument(journal, directory.target(), outcome.end(), requests,
            captured + inherited + missing, captured, inherited, missing, form.masked, withoutRows, empty,
            outcome.unfinished(), outcome.firstRecord(), outcome.endedAhead(), bytes));
    }

    /**
     * {@code experts --json}.
     *
     * @param path            directory of the journal
     * @param out             the directory with the files
     * @param journalEnd      how the journal ends
     * @param requests        requests whose rows were written
     * @param rows            their rows
     * @param captured        rows that were captured for the request
     * @param inherited       rows that came from another request with the same prefix
     * @param missing         rows that are missing; their ids are −1
     * @param inheritedMasked whether −1 was written in place of ids of inherited rows
     * @param withoutRows     requests that were left out because they asked for no rows
     * @param empty           exported requests without a row in the asked part
     * @param unfinished      requests that were left out because they had not ended
     * @param firstRecord     first record of the re-run; 0, unless old segments were removed
     * @param endedAhead      requests that ended before it, whose rows are gone although their Submits are kept
     * @param bytes           bytes of all files
     */
    @DocumentSchema("signalbox.experts/1")
    record ExportDocument(
        Path path,
        Path out,
        JournalEnd journalEnd,
        long requests,
        long rows,
        long captured,
        long inherited,
        long missing,
        boolean inheritedMasked,
        long withoutRows,
        long empty,
        long unfinished,
        long firstRecord,
        long endedAhead,
        long bytes)
    {
    }

    public void print(final PrintStream out, final RowReplay.Outcome outcome)
    {
        row(out, "exported", Decimals.counted(requests, "request") + ", " + Decimals.bytes(bytes));
        row(out, "rows", Decimals.grouped(captured + inherited + missing) + ": " + Decimals.grouped(captured) +
            " captured, " + Decimals.grouped(inherited) + " inherited" + (form.masked ? " (written as -1), " : ", ") +
            Decimals.grouped(missing) + " missing");
        if (withoutRows + outcome.unfinished() > 0)
        {
            row(out, "left out", Decimals.counted(withoutRows, "request") + " that asked for no rows, " +
                Decimals.grouped(outcome.unfinished()) + " that had not ended");
        }
        if (outcome.firstRecord() > 0)
        {
            row(out, "gone", "rows of " + Decimals.counted(outcome.endedAhead(), "request") +
                " that ended ahead of record " + Decimals.grouped(outcome.firstRecord()) +
                ", and of all whose records were removed");
        }
        if (empty > 0)
        {
            row(out, "empty", Decimals.counted(empty, "request") + " without a row in the asked part");
        }
        row(out, "journal", JournalEndText.of(outcome.end()));
    }

    private static void row(final PrintStream out, final String label, final String text)
    {
        out.printf("%-18s%s%n", label, text);
    }
}
