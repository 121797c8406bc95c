// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonInline;
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
        return JsonDocument.text(new SnapshotDocument(journal, follower.records(), !isAtEnd, follower.written(),
            usage.count(), usage.bytes(), passedOver().size(),
            replay == null ? null : new OfScheduler(replay.records(), replay.written(), usage.schedulerBytes()),
            removed == null ? null : new Removed(removed.segments(), removed.bytes(), removed.firstRecord())));
    }

    /**
     * {@code snapshot --json}.
     *
     * @param path         directory of the journal
     * @param records      records of the journal that are folded
     * @param beingWritten whether more may follow
     * @param written      snapshots that were written now
     * @param snapshots    snapshots that the journal has
     * @param bytes        their bytes
     * @param passedOver   damaged or foreign snapshots that were not used; the text form has the reasons
     * @param ofScheduler  {@code null} without {@code --scheduler}
     * @param removed      {@code null} without a limit
     */
    @DocumentSchema("signalbox.snapshot/1")
    record SnapshotDocument(
        Path path,
        long records,
        boolean beingWritten,
        long written,
        int snapshots,
        long bytes,
        int passedOver,
        @JsonInline OfScheduler ofScheduler,
        @JsonInline Removed removed)
    {
    }

    /**
     * Snapshots of the scheduler.
     *
     * @param confirmedRecords   with {@code --scheduler}: records whose decisions are confirmed
     * @param writtenOfScheduler with {@code --scheduler}: snapshots of the scheduler that were written now
     * @param schedulerBytes     with {@code --scheduler}: bytes of the snapshots of the scheduler that the journal has
     */
    record OfScheduler(long confirmedRecords, long writtenOfScheduler, long schedulerBytes)
    {
    }

    /**
     * Segments that were removed.
     *
     * @param removedSegments with a limit: old segments that were removed now
     * @param removedBytes    with a limit: their bytes
     * @param firstRecord     with a limit: first record that the journal has; 0: all are there
     */
    record Removed(int removedSegments, long removedBytes, long firstRecord)
    {
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
