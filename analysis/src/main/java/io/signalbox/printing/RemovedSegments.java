// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.JournalRetention;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.RetentionLimits;
import io.signalbox.journal.UpkeepListener.Removal;
import io.signalbox.router.DpRouters;

import java.nio.file.Path;
import java.util.List;

/** The segments that a command removes behind the snapshots that it writes. */
public final class RemovedSegments
{
    private final Path journal;
    private final RetentionLimits limits;
    private final DpRouters routers;
    private long snapshots = -1;
    private int segments;
    private long bytes;
    private long firstRecord;
    private List<String> notes = List.of();

    public RemovedSegments(final Path journal, final RetentionLimits limits, final DpRouters routers)
    {
        this.journal = journal;
        this.limits = limits;
        this.routers = routers;
    }

    /** Removes what may go, unless no snapshot was written since the last call: then nothing more may. */
    public void behind(final long writtenSnapshots, final ReadProgress progress)
    {
        if (writtenSnapshots != snapshots)
        {
            final Removal removal = JournalRetention.apply(journal, limits, routers, progress);
            snapshots = writtenSnapshots;
            segments += removal.segments();
            bytes += removal.bytes();
            firstRecord = removal.firstRecord();
            notes = removal.notes();
        }
    }

    int segments()
    {
        return segments;
    }

    long bytes()
    {
        return bytes;
    }

    /** Sequence number of the first record that is kept. */
    long firstRecord()
    {
        return firstRecord;
    }

    List<String> notes()
    {
        return notes;
    }
}
