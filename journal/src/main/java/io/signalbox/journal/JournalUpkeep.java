// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.router.DpRouters;

import java.nio.file.Path;
import java.util.List;
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
    private String failure;
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

    /** The thread is to end. */
    private static final class StoppedException extends RuntimeException
    {
        private static final long serialVersionUID = 1L;

        private StoppedException()
        {
            super("the journal is being closed", null, false, false);
        }
    }

    private JournalUpkeep(
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
        states = new SnapshotFollower(directory, config.recordsPerSnapshot(), SnapshotFollower.DEFAULT_KEPT);
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
     * much. Does nothing if the configuration asks for nothing.
     *
     * @throws JournalException if the journal is damaged, a decision differs, or files cannot be written or removed.
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
            upkeep.states.follow(progress);
            upkeep.states.conclude();
            upkeep.schedulers.follow(progress);
            upkeep.schedulers.conclude();
            upkeep.remove(progress);
        }
    }

    private void run()
    {
        boolean more = true;
        while (more)
        {
            more = turn() && !isStopping();
        }
    }

    private boolean isStopping()
    {
        try
        {
            return stopping.await(rhythm.pauseMillis, TimeUnit.MILLISECONDS);
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
    private boolean turn()
    {
        try
        {
            final boolean isAtEnd = states.follow(progress) & schedulers.follow(progress);
            if (schedulers.written() > snapshots && (limits.mostAge() != null || segmentCount() > segments))
            {
                remove(progress);
            }
            failure = null;
            return !isAtEnd;
        }
        catch (final StoppedException e)
        {
            return false;
        }
        catch (final JournalException e)
        {
            final boolean continues = switch (e.kind())
            {
                case DISK_FULL, STORE_FAILED, ACCESS_DENIED, LOCKED, MISSING_SEGMENT -> true;
                default -> false;
            };
            report(e.getMessage(), continues);
            return continues;
        }
        // Whatever it is: a run does not end because of its upkeep.
        catch (final RuntimeException | Error e)
        {
            report("the upkeep of " + directory + " stopped: " + e, false);
            return false;
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
        final JournalRetention.Removal removal =
            new JournalRetention(directory, limits, routers, reading, rhythm.unseenGroups).apply();
        snapshots = schedulers.written();
        segments = count;
        if (removal.segments() > 0 || !removal.notes().equals(notes))
        {
            notes = removal.notes();
            tell(() -> listener.onRemoval(removal));
        }
    }

    /** The listener receives a failure that comes again once. */
    private void report(final String sentence, final boolean continues)
    {
        if (!sentence.equals(failure))
        {
            failure = sentence;
            tell(() -> listener.onFailure(sentence, continues));
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
            // Nor does it end the upkeep if it leaves the thread interrupted.
            Thread.interrupted();
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
