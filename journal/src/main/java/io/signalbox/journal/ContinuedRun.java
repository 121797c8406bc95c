// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.InvariantViolation;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.GroupListener;
import io.signalbox.engine.RecordedRun;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.scheduler.Scheduler;

import java.nio.file.Path;

/** A run that an earlier engine left, with the lock of its directory. */
final class ContinuedRun implements RecordedRun
{
    private final Path directory;
    private final JournalLock lock;
    private final DirectoryFiles files;
    private final JournalReader reader;
    private final JournalConfig config;
    private long lastTimeNanos;
    private boolean handedOver;

    ContinuedRun(
        final Path directory,
        final JournalLock lock,
        final DirectoryFiles files,
        final JournalReader reader,
        final JournalConfig config)
    {
        this.directory = directory;
        this.lock = lock;
        this.files = files;
        this.reader = reader;
        this.config = config;
    }

    @Override
    public void replay(final Scheduler scheduler, final GroupListener follower)
    {
        final Difference difference = JournalVerifier.replay(reader, scheduler, (group, offset, length) ->
        {
            lastTimeNanos = reader.timeNanos();
            follower.onGroup(group, offset, length);
        }).difference();
        if (difference != null)
        {
            throw refusal(difference);
        }
    }

    private JournalException refusal(final Difference difference)
    {
        final String record = "record " + difference.sequence();
        return new JournalException(Kind.NOT_CONFIRMED, directory + " cannot be continued: " + (difference.thrown() ?
            difference.recomputed() + "; 'signalbox replay " + directory + " --void " + difference.sequence() +
            "' leaves that input out" : record + " has " + difference.recorded() + ", and now the scheduler decides " +
                difference.recomputed()) + "; start the program that wrote it, or see 'signalbox replay " + directory +
            " --verify'.");
    }

    @Override
    public long groups()
    {
        return reader.groups();
    }

    @Override
    public long lastTimeNanos()
    {
        return lastTimeNanos;
    }

    /** Until here no byte of the journal was changed. */
    @Override
    public GroupJournal journal()
    {
        if (reader.end() == null)
        {
            throw new InvariantViolation("the journal " + directory + " is continued before it was replayed to its end");
        }
        lock.requireHeld();
        final SetAside aside = new SetAside(directory, files);
        aside.emptySegments(reader.end());
        aside.tornTail(reader.end());
        lock.requireHeld();
        final JournalWriter writer = JournalWriter.behind(directory, lock, reader, lastTimeNanos, aside, config);
        handedOver = true;
        reader.close();
        return writer;
    }

    @Override
    public void close()
    {
        if (!handedOver)
        {
            reader.close();
            lock.close();
        }
    }
}
