// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
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
        return JsonDocument.text(new RunsDocument(directory, runs.stream().map(this::run).toList(),
            runs.stream().mapToLong(RunDirectory::bytes).sum()));
    }

    private Run run(final RunDirectory run)
    {
        final Path path = run.path();
        return new Run(path.getFileName().toString(), run.state(), run.reason(), run.began(),
            run.written().truncatedTo(ChronoUnit.MILLIS), run.segments(), run.bytes(), run.snapshotBytes(),
            chosen.get(path), removed.contains(path), failed.get(path));
    }

    /**
     * {@code runs --json}. Times are UTC.
     *
     * @param path  the directory that was searched
     * @param runs  directories in it
     * @param bytes bytes of all runs
     */
    @DocumentSchema("signalbox.runs/1")
    record RunsDocument(Path path, List<Run> runs, long bytes)
    {
    }

    /**
     * A directory with a run, or another one.
     *
     * @param name          name of the directory
     * @param state         state of its journal
     * @param reason        the process that writes it, or why it is damaged or foreign; {@code null} if it is idle
     * @param began         wall time of its first record; {@code null} if it is not readable
     * @param written       wall time at which one of its files was written last
     * @param segments      segments of its journal
     * @param bytes         lengths of all its files
     * @param snapshotBytes lengths of its snapshots
     * @param chosen        why a limit chose it; {@code null} if no limit did
     * @param removed       whether it was removed
     * @param failure       why it could not be removed; {@code null} if it was removed or not chosen
     */
    record Run(
        String name,
        RunDirectory.State state,
        String reason,
        Instant began,
        Instant written,
        int segments,
        long bytes,
        long snapshotBytes,
        String chosen,
        boolean removed,
        String failure)
    {
    }
}
