// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.engine.GroupListener;
import io.signalbox.event.GroupReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.journal.Verification.RepeatedVersion;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.SealedSegments;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Verifies a journal by re-running it: every input goes through a scheduler built from the run description, and every
 * group must be equal byte for byte. Reads only; a journal on read-only media can be verified.
 */
public final class JournalVerifier
{
    private static final int GROUP_CAPACITY_BYTES = 64 * 1024;
    private static final GroupListener NOBODY = (group, offset, length) -> { };

    private final GroupSource reader;
    private final GroupReader messages = new GroupReader();
    private GroupWriter recomputed = new GroupWriter(GROUP_CAPACITY_BYTES);
    /** The group ahead, of which journal and scheduler have the same bytes. */
    private GroupWriter before = new GroupWriter(GROUP_CAPACITY_BYTES);
    private final GroupListener follower;
    /** {@code null} if prompts have their first tokens. */
    private final PlacedOrder placed;
    private final Map<Integer, RepeatedVersion> repeated = new TreeMap<>();

    private JournalVerifier(final GroupSource reader, final GroupListener follower)
    {
        this.reader = reader;
        this.follower = follower;
        placed = WithheldJournal.isInOrderOfPlacements(reader.settings()) ? new PlacedOrder() : null;
    }

    /**
     * Verifies the journal in this directory; stops at the first difference.
     *
     * @param factory makes the scheduler; {@code Scheduler::new}, unless a test plants an error.
     * @throws JournalException if the journal is damaged; the message says which records are good.
     */
    public static Verification verify(final Path directory, final Function<SchedulerConfig, Scheduler> factory)
    {
        return verify(directory, DpRouters.installed(), factory, ReadProgress.NONE);
    }

    /**
     * The same with further routers.
     *
     * @param routers  those that the run description may name.
     * @param progress receives the progress of reading.
     */
    public static Verification verify(
        final Path directory,
        final DpRouters routers,
        final Function<SchedulerConfig, Scheduler> factory,
        final ReadProgress progress)
    {
        try (JournalReader reader = JournalReader.open(directory, progress))
        {
            return replay(reader, factory.apply(reader.config(routers)), NOBODY);
        }
    }

    /**
     * Verifies the journal behind the newest snapshot of its scheduler that fits: what is ahead of it was confirmed when the
     * snapshot was written. Without a snapshot, or if a decision behind it differs, it verifies from the first record.
     *
     * @throws JournalException if the journal is damaged.
     */
    public static Verification verifyBehindSnapshot(
        final Path directory, final DpRouters routers, final ReadProgress progress)
    {
        final SnapshotStart newest = SnapshotStart.find(directory, Long.MAX_VALUE, routers, progress);
        final Verification behind = verify(directory, newest, progress);
        if (behind.matches() || behind.begunAt() == 0 || JournalBeginning.isIn(directory))
        {
            return behind;
        }
        // The journal or the snapshot: a re-run of everything finds out.
        final SnapshotStart start = SnapshotStart.find(directory, 0, routers, progress);
        start.passedOver().add("The snapshot behind record " + (behind.begunAt() - 1) +
            " is passed over: a decision behind it differs.");
        return verify(directory, start, progress);
    }

    /**
     * Verifies as much of a journal as there is: from its first record or, if records were removed, behind the oldest
     * snapshot of its scheduler that fits.
     *
     * @throws JournalException if the journal is damaged; RECORDS_REMOVED if no snapshot fits.
     */
    public static Verification verifyKept(final Path directory, final DpRouters routers, final ReadProgress progress)
    {
        return JournalBeginning.isIn(directory) ?
            verify(directory, SnapshotStart.oldest(directory, routers, progress), progress) :
            verify(directory, routers, Scheduler::new, progress);
    }

    /** Records ahead of a snapshot are not read: their segments are compared with their checksums. */
    private static Verification verify(final Path directory, final SnapshotStart start, final ReadProgress progress)
    {
        try (JournalReader reader = start.reader())
        {
            int checked = 0;
            if (start.mark() != null)
            {
                final SealedSegments.SegmentCheck check = SealedSegments.check(directory, start.mark().segment(), progress);
                checked = check.segments();
                start.passedOver().addAll(check.unchecked());
            }
            return replay(reader, start.scheduler(), NOBODY).begun(start, checked);
        }
    }

    static Verification verify(final JournalReader reader, final Function<SchedulerConfig, Scheduler> factory)
    {
        return replayTo(reader, factory.apply(reader.config()), Long.MAX_VALUE, NOBODY);
    }

    /**
     * Verifies a journal with a scheduler that the caller can ask after each group; stops at the first difference. Another
     * thread may read ahead.
     *
     * @param reader    has handed out no group yet; the caller and the follower leave it alone until this returns.
     * @param scheduler new, with the reader's configuration; it has the state of the last group afterwards, if every group
     *                  is equal.
     * @param follower  receives every group that is equal.
     * @throws JournalException if the journal must not be trusted from here on, or is being written.
     */
    public static Verification replay(final JournalReader reader, final Scheduler scheduler, final GroupListener follower)
    {
        final GroupSource groups = ReadAhead.of(reader);
        try
        {
            return replayTo(groups, scheduler, Long.MAX_VALUE, follower);
        }
        finally
        {
            groups.stop();
        }
    }

    /** As {@link #replay}, up to the group that a record is part of; the follower may ask the source. */
    static Verification replayTo(
        final GroupSource reader, final Scheduler scheduler, final long record, final GroupListener follower)
    {
        return new JournalVerifier(reader, follower).run(scheduler, record);
    }

    private Verification run(final Scheduler scheduler, final long record)
    {
        Difference difference = null;
        scheduler.orderPlacementsBy(placed);
        while (difference == null && reader.sequence() < record && reader.next())
        {
            final GroupWriter former = before;
            before = recomputed;
            recomputed = former;
            difference = compare(scheduler);
            if (difference == null)
            {
                follower.onGroup(reader.group(), 0, reader.groupLength());
            }
        }
        final Verification found = new Verification(reader.records(), reader.groups(), reader.ending(), reader.digest(),
            reader.voided(), difference, null).withRepeated(List.copyOf(repeated.values()));
        return difference == null || difference.thrown() ? found :
            found.withDigests(new NextDigest(reader, scheduler, placed).compare(recomputed, record));
    }

    private Difference compare(final Scheduler scheduler)
    {
        final DirectBuffer group = reader.group();
        recomputed.reset();
        try
        {
            messages.wrap(group, 0, reader.groupLength());
            messages.next();
            if (placed != null)
            {
                placed.read(group, 0, reader.groupLength());
            }
            apply(scheduler, group);
        }
        catch (final RuntimeException | AssertionError e)
        {
            return difference(List.of("(record " + reader.sequence() + " cannot be replayed: " +
                (e.getMessage() == null ? "the scheduler stopped and gave no reason" : e.getMessage()) + ")")).withThrown();
        }
        return isEqual(group) ? null : difference(GroupText.lines(recomputed.buffer(), 0, recomputed.length()))
            .withRouter(scheduler.router());
    }

    private void apply(final Scheduler scheduler, final DirectBuffer group)
    {
        final boolean repeats = scheduler.repeatsPlacements();
        final int version = scheduler.routerVersion();
        final long before = scheduler.repeatedPlacements();
        scheduler.readRecorded(group, 0, reader.groupLength());
        scheduler.apply(group, messages.offset(), messages.messageLength(), reader.rows(), 0, recomputed);
        if (repeats)
        {
            final DpRouterProvider router = scheduler.router();
            repeated.merge(version, new RepeatedVersion(router.label(), version, router.version(),
                scheduler.repeatedPlacements() - before), RepeatedVersion::plus);
        }
    }

    private boolean isEqual(final DirectBuffer group)
    {
        final int start = group.wrapAdjustment();
        return reader.groupLength() == recomputed.length() && Arrays.equals(
            group.byteArray(), start, start + recomputed.length(), recomputed.buffer().byteArray(), 0, recomputed.length());
    }

    private Difference difference(final List<String> now)
    {
        return Difference.between(reader.sequence(), GroupText.lines(reader.group(), 0, reader.groupLength()), now,
            GroupText.lines(before.buffer(), 0, before.length()));
    }
}
