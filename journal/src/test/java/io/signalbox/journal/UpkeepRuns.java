// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.EventReader;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.journal.snapshot.SchedulerStore;
import io.signalbox.journal.snapshot.SnapshotFiles;
import io.signalbox.journal.snapshot.SnapshotStore;
import io.signalbox.scheduler.Scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Writes a journal that is kept small beside its writer, with faults, then asks where answers about it begin; also run with
 * defects that are planted into the classes. Nothing depends on time: the thread's turns are made by hand.
 */
public final class UpkeepRuns
{
    private static final int NOTE_BYTES = 2_000;
    private static final int GROUPS_PER_TURN = 120;
    /** The last snapshot of the scheduler in a phase is then behind a group whose next one changes the live requests. */
    private static final int EVERY = 149;
    private static final int TURNS = 4;
    private static final int TURNS_WITH_FAULT = 2;
    private static final RetentionLimits TWO = RetentionLimits.NONE.withMostSegments(2);

    private final Path journal;
    private final Told told = new Told();
    private final JournalUpkeep upkeep;
    private final Scheduler scheduler = new Scheduler(Runs.CONFIG);
    private int groups;

    /** Throws in each call, which costs the run nothing. */
    private static final class Told implements UpkeepListener
    {
        private final List<String> failures = new ArrayList<>();
        private int removed;

        @Override
        public void onRemoval(final UpkeepListener.Removal removal)
        {
            removed += removal.segments();
            throw new IllegalStateException("a fault of the listener");
        }

        @Override
        public void onFailure(final String sentence, final boolean continues)
        {
            failures.add(continues + " " + sentence);
            throw new IllegalStateException("a fault of the listener");
        }
    }

    private UpkeepRuns(final Path journal)
    {
        this.journal = journal;
        upkeep = new JournalUpkeep(journal, EndedRuns.CONFIG.withSnapshotEvery(EVERY).withRetention(TWO), EndedRuns.ROUTERS,
            told, new JournalUpkeep.Rhythm(EndedRuns.UNSEEN, 1));
    }

    /** The first check that fails; {@code null}: none does. */
    public static String firstFailure(final int ignored)
    {
        try
        {
            final Path directory = Files.createTempDirectory("signalbox-upkeep-");
            try
            {
                return new UpkeepRuns(directory.resolve("journal")).firstFailure();
            }
            finally
            {
                RetentionRuns.delete(directory);
            }
        }
        catch (final IOException | RuntimeException e)
        {
            return String.valueOf(e);
        }
    }

    private String firstFailure() throws IOException
    {
        final Path all = journal.resolveSibling("all");
        try (JournalWriter writer = JournalWriter.create(journal, Runs.settings(), EndedRuns.CONFIG);
            JournalWriter whole = JournalWriter.create(all, Runs.settings(), EndedRuns.CONFIG))
        {
            final String failure = firstFailure(writer);
            if (failure != null)
            {
                return failure;
            }
            EndedRuns.append(whole, new Scheduler(Runs.CONFIG), 0, groups, NOTE_BYTES);
        }
        final long state = newest(new SnapshotStore(journal, EVERY).newestFirst());
        final long scheduled = newest(new SchedulerStore(journal).newestFirst());
        final JournalConfig config = EndedRuns.CONFIG.withSnapshotEvery(1 << 20).withRetention(TWO);
        JournalUpkeep.conclude(journal, config, EndedRuns.ROUTERS, told, ReadProgress.NONE);
        if (newest(new SnapshotStore(journal, EVERY).newestFirst()) == state ||
            newest(new SchedulerStore(journal).newestFirst()) == scheduled)
        {
            return "no snapshot of the end";
        }
        final String wrong = wrongState(all);
        return wrong == null ? wrongReplay(all) : wrong;
    }

    private static long newest(final List<SnapshotFiles.Named> newestFirst)
    {
        return newestFirst.get(0).records();
    }

    /** Makes turns in a good directory, in one that cannot have snapshots, and in a good one again. */
    private String firstFailure(final JournalWriter writer) throws IOException
    {
        if (!turns(writer, TURNS) || told.removed == 0)
        {
            return "nothing is removed beside a run, or it is not told";
        }
        final Path snapshots = journal.resolve("snapshots");
        for (int time = 1; time <= 2; time++)
        {
            final Path aside = Files.move(snapshots, journal.resolveSibling("aside"));
            Files.writeString(snapshots, "in the way");
            if (!turns(writer, TURNS_WITH_FAULT) || told.failures.size() != time ||
                !told.failures.get(time - 1).startsWith("true "))
            {
                return "a fault is not told once, or ends the upkeep: " + told.failures;
            }
            Files.delete(snapshots);
            Files.move(aside, snapshots);
            final int before = told.removed;
            if (!turns(writer, TURNS) || told.removed == before)
            {
                return "nothing is removed after the fault";
            }
        }
        return null;
    }

    /** Whether it continues after each turn. */
    private boolean turns(final JournalWriter writer, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            EndedRuns.append(writer, scheduler, groups, groups + GROUPS_PER_TURN, NOTE_BYTES);
            groups += GROUPS_PER_TURN;
            if (!upkeep.turn())
            {
                return false;
            }
        }
        return true;
    }

    private String wrongState(final Path all) throws IOException
    {
        final List<SnapshotFiles.Named> kept = new SnapshotStore(journal, Integer.MAX_VALUE).oldestFirst();
        final byte[] bytes = Files.readAllBytes(kept.get(0).file());
        bytes[bytes.length / 2] ^= 1;
        Files.write(kept.get(0).file(), bytes);
        try (StateStart start = StateStart.of(journal, ReadProgress.NONE))
        {
            final JournalReader reader = start.reader();
            final long records = kept.get(1).records();
            return start.state() != null && reader.records() == records && reader.next() && reader.sequence() == records &&
                start.state().requests().stream().map(request -> request.id()).sorted().toList()
                    .equals(List.copyOf(liveAhead(all, records))) ? null : "the state does not begin at " + kept.get(1);
        }
    }

    private String wrongReplay(final Path all) throws IOException
    {
        final List<SnapshotFiles.Named> kept = new SchedulerStore(journal).newestFirst();
        final long oldest = kept.get(kept.size() - 1).records();
        try (ReplayStart start = ReplayStart.of(journal, EndedRuns.ROUTERS, ReadProgress.NONE))
        {
            final Set<Long> requests = new TreeSet<>();
            start.requests().forEach(request -> requests.add(request.requestId()));
            if (start.firstRecord() != oldest || !requests.equals(liveAhead(all, oldest)) || start.ended() == 0 ||
                start.requests().stream().anyMatch(request -> request.submitNanos() != request.requestId() * 1000))
            {
                return "the replay does not begin at " + oldest + ": " + start;
            }
            final JournalReader reader = start.reader();
            final long end = JournalVerifier.replayTo(
                reader, start.scheduler(), Long.MAX_VALUE, (group, offset, length) -> { }).groups();
            return end > 0 ? null : "no group is replayed";
        }
    }

    /** Requests that were accepted in records ahead of one, and had not ended, by the whole journal. */
    private static Set<Long> liveAhead(final Path whole, final long record)
    {
        final Set<Long> live = new TreeSet<>();
        final EventReader events = new EventReader()
        {
            @Override
            protected void onAccepted(final AcceptedDecoder accepted)
            {
                live.add(accepted.requestId());
            }

            @Override
            protected void onFree(final FreeDecoder free)
            {
                live.remove(free.requestId());
            }
        };
        try (JournalReader reader = JournalReader.open(whole))
        {
            while (reader.records() < record && reader.next())
            {
                events.readGroup(reader.group(), 0, reader.groupLength());
            }
        }
        return live;
    }
}
