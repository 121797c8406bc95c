// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.GroupListener;
import io.signalbox.engine.RecordedRun;
import io.signalbox.scheduler.Scheduler;

/** A run whose journal has just been begun. */
final class BegunRun implements RecordedRun
{
    private final JournalWriter writer;
    private final GroupJournal journal;
    private boolean handedOver;

    /** @param journal passes groups to the writer; it may be the writer. */
    BegunRun(final JournalWriter writer, final GroupJournal journal)
    {
        this.writer = writer;
        this.journal = journal;
    }

    @Override
    public void replay(final Scheduler scheduler, final GroupListener follower)
    {
    }

    @Override
    public long groups()
    {
        return 0;
    }

    @Override
    public long lastTimeNanos()
    {
        return 0;
    }

    @Override
    public GroupJournal journal()
    {
        handedOver = true;
        return journal;
    }

    /** Removes the files again. */
    @Override
    public void close()
    {
        if (!handedOver)
        {
            writer.discard();
        }
    }
}
