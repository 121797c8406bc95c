// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.ReplayFollower;
import io.signalbox.journal.SnapshotFollower;
import io.signalbox.journal.SnapshotUsage;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The result of {@code snapshot}. */
public final class SnapshotReport
{
    private final Path journal;
    private final SnapshotFollower follower;
    /** {@code null} if the journal was not re-run. */
    private final ReplayFollower replay;
    /** {@code null} if no limit was given. */
    private final RemovedSegments removed;
    private final SnapshotUsage usage;
    private final boolean isAtEnd;

    /**
     * @param replay  {@code null} if the journal was not re-run.
     * @param removed {@code null} if no limit was given.
     * @param isAtEnd false if the journal is being written.
     */
    public SnapshotReport(
        final Path journal,
        final SnapshotFollower follower,
        final ReplayFollower replay,
        final RemovedSegments removed,
        final boolean isAtEnd)
    {
        this.removed = removed;
        this.journal = journal;
        this.follower = follower;
        this.replay = replay;
        this.isAtEnd = isAtEnd;
        usage = SnapshotUsage.of(journal);
    }

    public String json()
    {
        return Json.text("signalbox.snapshot/1", json ->
        {
            json.writeStringField("path", journal.toString());
            json.writeNumberField("records", follower.records());
            json.writeBooleanField("beingWritten", !isAtEnd);
            json.writeNumberField("written", follower.written());
            json.writeNumberField("snapshots", usage.count());
            json.writeNumberField("bytes", usage.bytes());
            json.writeNumberField("passedOver", passedOver().size());
            if (replay != null)
            {
                json.writeNumberField("confirmedRecords", replay.records());
                json.writeNumberField("writtenOfScheduler", replay.written());
                json.writeNumberField("schedulerBytes", usage.schedulerBytes());
            }
            if (removed != null)
            {
                json.writeNumberField("removedSegments", removed.segments());
                json.writeNumberField("removedBytes", removed.bytes());
                json.writeNumberField("firstRecord", removed.firstRecord());
            }
        });
    }

    public void print(final PrintStream out)
    {
        line(out, "folded", Decimals.grouped(follower.records()) + " records" +
            (isAtEnd ? "" : "; the journal is being written"));
        line(out, "written", Decimals.grouped(follower.written()) + " snapshots");
        line(out, "kept", Decimals.grouped(usage.count()) + " snapshots, " + Decimals.grouped(usage.bytes()) + " bytes");
        if (replay != null)
        {
            line(out, "confirmed", Decimals.grouped(replay.records()) + " records; " + Decimals.grouped(replay.written()) +
                " snapshots of the scheduler written, " + Decimals.grouped(usage.schedulerBytes()) + " bytes kept");
        }
        if (removed != null)
        {
            line(out, "removed", Decimals.grouped(removed.segments()) + " segments, " + Decimals.grouped(removed.bytes()) +
                " bytes; the journal begins at record " + Decimals.grouped(removed.firstRecord()));
            removed.notes().forEach(sentence -> line(out, "note", Printable.text(sentence)));
        }
        passedOver().forEach(sentence -> line(out, "note", Printable.text(sentence)));
        out.flush();
    }

    private List<String> passedOver()
    {
        return replay == null ? follower.passedOver() :
            Stream.concat(follower.passedOver().stream(), replay.passedOver().stream()).toList();
    }

    private static void line(final PrintStream out, final String name, final String value)
    {
        out.printf("%-18s%s%n", name, value);
    }
}
