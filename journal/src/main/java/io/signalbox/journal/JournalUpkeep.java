// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.router.DpRouters;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Follows a run that is being journaled, writes snapshots of its state and of its scheduler, and removes the oldest segments
 * behind them. It has its own thread, in which it decides every input again: neither the writer nor the scheduler waits for
 * it, and it takes the memory of a second scheduler. If it fails, the run continues.
 */
public final class JournalUpkeep implements AutoCloseable
{
    private static final long CLOSING_POLL_MILLIS = 10;
    /** A pause is at most so many times doubled while something fails: each attempt may write a large file. */
    private static final int MOST_DOUBLED = 4;

    private final Path directory;
    private final RetentionLimits limits;
    private final DpRouters routers;
    private final UpkeepListener listener;
    private final Rhythm rhythm;
    private final SnapshotFollower states;
    private final ReplayFollower schedulers;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final ReadProgress progress = (doneBytes, totalBytes) -> requireWanted();
    private Thread thread;
    /** Of the scheduler, when segments were removed last. */
    private long snapshots;
    private int segments;
    private List<String> notes = List.of();
    /** Failures that the listener has, and that have not been made good. */
    private final Map<Work, Set<Kind>> told = new EnumMap<>(Map.of(
        Work.SNAPSHOTS, EnumSet.noneOf(Kind.class), Work.REMOVAL, EnumSet.noneOf(Kind.class)));
    /** Turns in which something failed, without one between them in which nothing did. */
    private int failedTurns;
    private boolean hasFailed;
    /** The thread has ended although nobody stopped it. */
    private volatile boolean hasGivenUp;
    /** Records that may be decided again while an engine is closed: some tenths of a second. */
    private final long mostRecordsAtClose;
    /** The listener is being called. */
    private volatile boolean isTelling;

    /**
     * How often it looks at the journal, and how much it keeps in any case.
     *
     * @param unseenGroups groups whose ends of requests a client may not have seen.
     */
    record Rhythm(long unseenGroups, long pauseMillis)
    {
        static final Rhythm DEFAULT = new Rhythm(JournalRetention.UNSEEN_GROUPS, 1_000);
    }

    /** A part of the work, which can fail by itself. */
    private enum Work
    {
        SNAPSHOTS, REMOVAL
    }

    /** One of the two followers. */
    private interface Following
    {
        boolean follow(ReadProgress progress, boolean writes);
    }

    /** The thread is to end. */
    private static final class StoppedException extends RuntimeException
    {
        private static final long serialVersionUID = 1L;

        private StoppedException()
        {
            super("the journal is being closed", null, false, false);
        }
    }

    JournalUpkeep(
        final Path directory,
        final JournalConfig config,
        final DpRouters routers,
        final UpkeepListener listener,
        final Rhythm rhythm)
    {
        this.directory = directory;
        this.routers = routers;
        this.listener = listener;
        this.rhythm = rhythm;
        limits = config.retention();
        mostRecordsAtClose = Math.min(config.recordsPerSnapshot(), SnapshotFollower.EVERY.defaultValue());
        states = new SnapshotFollower(directory, config.recordsPerSnapshot(), SnapshotFollower.KEPT.defaultValue());
        schedulers = new ReplayFollower(directory, config.recordsPerSnapshot(), routers);
    }

    /** Begins to follow a journal that is being written. */
    static JournalUpkeep start(
        final Path directory,
        final JournalConfig config,
        final DpRouters routers,
        final UpkeepListener listener,
        final Rhythm rhythm)
    {
        final JournalUpkeep upkeep = new JournalUpkeep(directory, config, routers, listener, rhythm);
        upkeep.thread = new Thread(upkeep::run, "signalbox-journal-upkeep");
        upkeep.thread.setDaemon(true);
        upkeep.thread.start();
        return upkeep;
    }

    /**
     * Does all that is left for a journal that is not written any more: the last snapshots, and the removal of what is too
     * much. Does nothing if the configuration asks for nothing. The listener receives what cannot be written or removed.
     *
     * @throws JournalException if the journal is damaged, or a decision differs.
     */
    public static void conclude(
        final Path directory,
        final JournalConfig config,
        final DpRouters routers,
        final UpkeepListener listener,
        final ReadProgress progress)
    {
        if (config.isKeptUp())
        {
            final JournalUpkeep upkeep = new JournalUpkeep(directory, config, routers, listener, Rhythm.DEFAULT);
            upkeep.conclude(Work.SNAPSHOTS, () ->
            {
                upkeep.states.follow(progress);
                upkeep.states.conclude();
            });
            upkeep.conclude(Work.SNAPSHOTS, () ->
            {
                upkeep.schedulers.follow(progress);
                upkeep.schedulers.conclude();
            });
            upkeep.conclude(Work.REMOVAL, () -> upkeep.remove(progress));
        }
    }

    /** A last attempt. */
    private void conclude(final Work work, final Runnable attempt)
    {
        try
        {
            attempt.run();
        }
        catch (final JournalException e)
        {
            if (!mayBeRepaired(e))
            {
                throw e;
            }
            report(work, e, false);
        }
    }

    private void run()
    {
        boolean more = true;
        while (more)
        {
            more = turn() && !isStopping();
        }
        hasGivenUp = stopping.getCount() > 0;
    }

    /**
     * Writes an image after the last group, so that the next engine, of whatever version, decides no group again. Call it
     * after {@link #close}, when the journal is sealed. Does nothing if the thread has not come near the end.
     *
     * @param records of the journal.
     */
    void concludeSealed(final long records)
    {
        if (hasGivenUp || thread.isAlive() || records - schedulers.records() > mostRecordsAtClose)
        {
            return;
        }
        try
        {
            schedulers.follow(ReadProgress.NONE);
            schedulers.conclude();
        }
        catch (final JournalException e)
        {
            report(Work.SNAPSHOTS, e, false);
        }
        // Whatever it is: the journal is closed all the same.
        catch (final Throwable e)
        {
            tell(() -> listener.onFailure("no snapshot of the end of " + directory + " is written: " + e, false));
        }
    }

    private boolean isStopping()
    {
        try
        {
            return stopping.await(rhythm.pauseMillis << Math.min(failedTurns, MOST_DOUBLED), TimeUnit.MILLISECONDS);
        }
        catch (final InterruptedException e)
        {
            return true;
        }
    }

    private void requireWanted()
    {
        if (stopping.getCount() == 0)
        {
            throw new StoppedException();
        }
    }

    /** False if nothing is left to do, or would fail again. */
    boolean turn()
    {
        hasFailed = false;
        try
        {
            final long written = states.written() + schedulers.written();
            final boolean isAtEnd = follow(states::follow) & follow(schedulers::follow);
            if (!hasFailed && states.written() + schedulers.written() > written)
            {
                told.get(Work.SNAPSHOTS).clear();
            }
            if (schedulers.written() > snapshots && (limits.mostAge() != null || segmentCount() > segments))
            {
                removeOrTell();
            }
            return !isAtEnd || hasFailed;
        }
        catch (final StoppedException e)
        {
            return false;
        }
        catch (final JournalException e)
        {
            report(Work.SNAPSHOTS, e, mayBeRepaired(e));
            return mayBeRepaired(e);
        }
        // Whatever it is: a run does not end because of its upkeep.
        catch (final Throwable e)
        {
            tell(() -> listener.onFailure("the upkeep of " + directory + " stopped: " + e, false));
            return false;
        }
        finally
        {
            failedTurns = hasFailed ? failedTurns + 1 : 0;
        }
    }

    /** Whether somebody may make it possible while the run continues. */
    private static boolean mayBeRepaired(final JournalException e)
    {
        return switch (e.kind())
        {
            case DISK_FULL, STORE_FAILED, ACCESS_DENIED, LOCKED, MISSING_SEGMENT, FOREIGN_FILE -> true;
            default -> false;
        };
    }

    /** Follows to the last group also if no snapshot can be written; false if more may follow. */
    private boolean follow(final Following follower)
    {
        try
        {
            return follower.follow(progress, true);
        }
        catch (final JournalException e)
        {
            if (!mayBeRepaired(e))
            {
                throw e;
            }
            report(Work.SNAPSHOTS, e, true);
            // The listener may have closed the engine.
            requireWanted();
            // If it is the journal that cannot be read, this fails again.
            return follower.follow(progress, false);
        }
    }

    private void removeOrTell()
    {
        try
        {
            remove(progress);
            told.get(Work.REMOVAL).clear();
        }
        catch (final JournalException e)
        {
            if (!mayBeRepaired(e))
            {
                throw e;
            }
            report(Work.REMOVAL, e, true);
        }
    }

    private int segmentCount()
    {
        return DirectoryFiles.of(directory).segmentCount();
    }

    private void remove(final ReadProgress reading)
    {
        if (limits.equals(RetentionLimits.NONE))
        {
            return;
        }
        final int count = segmentCount();
        final JournalRetention retention =
            new JournalRetention(directory, limits, routers, reading, rhythm.unseenGroups);
        try
        {
            tell(retention.apply());
        }
        catch (final JournalException e)
        {
            // One segment that stays does not keep the others.
            if (retention.last() != null)
            {
                tell(retention.last());
            }
            throw e;
        }
        snapshots = schedulers.written();
        segments = count;
    }

    private void tell(final UpkeepListener.Removal removal)
    {
        if (removal.segments() > 0 || !removal.notes().equals(notes))
        {
            notes = removal.notes();
            tell(() -> listener.onRemoval(removal));
        }
    }

    /** The listener receives a failure that comes again once, also if it names another file then. */
    private void report(final Work work, final JournalException failure, final boolean continues)
    {
        hasFailed = true;
        if (told.get(work).add(failure.kind()))
        {
            tell(() -> listener.onFailure(failure.getMessage(), continues));
        }
    }

    private void tell(final Runnable call)
    {
        isTelling = true;
        try
        {
            call.run();
        }
        catch (final Throwable e)
        {
            // A listener that throws loses the call, and nothing else.
            return;
        }
        finally
        {
            // Nor does it end the upkeep if it leaves the thread interrupted. The interrupt of another thread is its own.
            if (Thread.currentThread() == thread)
            {
                Thread.interrupted();
            }
            isTelling = false;
        }
    }

    /**
     * Ends the thread, at the latest behind the snapshot or the removal at which it is. A listener that is being called is
     * not waited for: it may wait for this call, and behind it the thread does nothing more.
     */
    @Override
    public void close()
    {
        stopping.countDown();
        boolean interrupted = false;
        while (thread != Thread.currentThread() && thread.isAlive() && !isTelling)
        {
            try
            {
                thread.join(CLOSING_POLL_MILLIS);
            }
            catch (final InterruptedException e)
            {
                interrupted = true;
            }
        }
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
    }
}
