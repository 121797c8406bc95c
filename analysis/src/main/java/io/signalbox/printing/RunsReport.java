// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.RunDirectory;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The runs below a directory, and what became of those that limits chose. */
public final class RunsReport
{
    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);
    private static final String ROW = "%-24s  %-13s  %-19s  %-19s  %8s  %12s  %12s%s%n";

    private final Path directory;
    private final List<RunDirectory> runs;
    private final Map<Path, String> chosen;
    private final boolean removes;
    private final Set<Path> removed = new HashSet<>();
    private final Map<Path, String> failed = new HashMap<>();

    /**
     * @param chosen  runs that limits chose, each with the reason.
     * @param removes whether these are removed.
     */
    public RunsReport(
        final Path directory, final List<RunDirectory> runs, final Map<Path, String> chosen, final boolean removes)
    {
        this.directory = directory;
        this.runs = runs;
        this.chosen = chosen;
        this.removes = removes;
    }

    public void removed(final Path run)
    {
        removed.add(run);
    }

    /** @param reason a sentence. */
    public void failed(final Path run, final String reason)
    {
        failed.put(run, reason);
    }

    public boolean anyFailed()
    {
        return !failed.isEmpty();
    }

    public void print(final PrintStream out)
    {
        if (!runs.isEmpty())
        {
            out.printf(ROW, "run", "state", "began, UTC", "written, UTC", "segments", "bytes", "snapshots", "");
        }
        for (final RunDirectory run : runs)
        {
            final boolean isRun = run.state() != RunDirectory.State.FOREIGN;
            out.printf(ROW, Printable.text(run.path().getFileName().toString()), EnumNames.label(run.state()),
                time(run.began()), isRun ? time(run.written()) : ReportText.NO_DATA,
                isRun ? Decimals.grouped(run.segments()) : ReportText.NO_DATA,
                isRun ? Decimals.bytes(run.bytes()) : ReportText.NO_DATA,
                isRun ? Decimals.bytes(run.snapshotBytes()) : ReportText.NO_DATA, note(run));
        }
        final long bytes = runs.stream().mapToLong(RunDirectory::bytes).sum();
        out.printf("%s%-24s  %s in %s%n", runs.isEmpty() ? "" : "\n", "all",
            Decimals.grouped(runs.size()) + (runs.size() == 1 ? " directory" : " directories"),
            Decimals.bytes(bytes));
        if (!chosen.isEmpty() && !removes)
        {
            out.printf("%-24s  %s would be removed; add --remove%n", "chosen", Decimals.bytes(bytesOf(chosen.keySet())));
        }
        if (removes)
        {
            out.printf("%-24s  %s, %s%n", "removed", Decimals.counted(removed.size(), "run"),
                Decimals.bytes(bytesOf(removed)));
        }
        out.flush();
    }

    private long bytesOf(final Set<Path> of)
    {
        return runs.stream().filter(run -> of.contains(run.path())).mapToLong(RunDirectory::bytes).sum();
    }

    private String note(final RunDirectory run)
    {
        final Path path = run.path();
        final String note = failed.containsKey(path) ? failed.get(path) :
            removed.contains(path) ? "removed: " + chosen.get(path) :
            chosen.containsKey(path) ? "chosen: " + chosen.get(path) :
            run.reason() != null ? run.reason() : "";
        return note.isEmpty() ? "" : "  " + Printable.text(note);
    }

    private static String time(final Instant instant)
    {
        return instant == null ? ReportText.NO_DATA : TIME.format(instant);
    }

    public String json()
    {
        return Json.text("signalbox.runs/1", json ->
        {
            json.writeStringField("path", directory.toString());
            json.writeArrayFieldStart("runs");
            for (final RunDirectory run : runs)
            {
                final Path path = run.path();
                json.writeStartObject();
                json.writeStringField("name", path.getFileName().toString());
                json.writeStringField("state", EnumNames.label(run.state()));
                json.writeStringField("reason", run.reason());
                json.writeStringField("began", run.began() == null ? null : run.began().toString());
                json.writeStringField("written", run.written().truncatedTo(ChronoUnit.MILLIS).toString());
                json.writeNumberField("segments", run.segments());
                json.writeNumberField("bytes", run.bytes());
                json.writeNumberField("snapshotBytes", run.snapshotBytes());
                json.writeStringField("chosen", chosen.get(path));
                json.writeBooleanField("removed", removed.contains(path));
                json.writeStringField("failure", failed.get(path));
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeNumberField("bytes", runs.stream().mapToLong(RunDirectory::bytes).sum());
        });
    }
}
