// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.RecordWriter;
import io.signalbox.journal.segment.Chain;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.RecordType;
import io.signalbox.journal.segment.RowChunks;
import io.signalbox.journal.segment.RunDescription;
import io.signalbox.journal.segment.SegmentedLog;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

/** Writes a journal to a simulated disk, without lock and directory, and records the state after each record. */
final class SimulatedLog
{
    private final SimulatedDisk disk;
    private final SegmentedLog log;
    private final List<Long> chains = new ArrayList<>();
    private final List<Long> chainsOfGroups = new ArrayList<>();

    SimulatedLog(final SimulatedDisk disk, final JournalConfig options)
    {
        this.disk = disk;
        log = new SegmentedLog(disk, options, JournalPosition.START);
        final RecordWriter description = RunDescription.encode(Runs.settings());
        log.openFirst(Envelope.LENGTH + description.length());
        log.append(RecordType.RUN_DESCRIPTION, 0, description.buffer(), 0, description.length());
        chains.add(log.chain());
        chainsOfGroups.add(log.chain());
    }

    /** A sealed journal of notes. */
    static SimulatedLog sealed(final int groups, final JournalConfig options)
    {
        final SimulatedLog log = open(groups, options);
        log.log.seal(Ending.CLOSED);
        return log;
    }

    /** A journal of notes whose writer was killed. */
    static SimulatedLog open(final int groups, final JournalConfig options)
    {
        final SimulatedLog log = new SimulatedLog(new SimulatedDisk(), options);
        for (int i = 0; i < groups; i++)
        {
            log.note(i, 20 + i * 37 % 300);
            if (options.durability() == Durability.RECORD)
            {
                log.log.sync();
            }
        }
        return log;
    }

    void note(final int number, final int textBytes)
    {
        final UnsafeBuffer group = Runs.note(number, textBytes);
        if (log.isFull(Envelope.LENGTH + group.capacity()))
        {
            log.roll(Envelope.LENGTH + group.capacity());
        }
        log.append(RecordType.GROUP, number, group, 0, group.capacity());
        chains.add(log.chain());
        chainsOfGroups.add(log.chain());
    }

    /** One chunk of rows whose group does not follow. */
    void rows(final int rowBytes)
    {
        final RowChunks chunks = new RowChunks();
        chunks.begin(new Runs.Slice(new UnsafeBuffer(new byte[rowBytes]), 0, 1, rowBytes), 1, 1, 1);
        chunks.next();
        log.append(RecordType.ROWS, 1, chunks.buffer(), 0, chunks.length());
        chains.add(log.chain());
    }

    SegmentedLog log()
    {
        return log;
    }

    SimulatedDisk disk()
    {
        return disk;
    }

    MemoryFiles files()
    {
        return disk.files();
    }

    /** The chain after this many records. */
    long chainAfter(final long records)
    {
        return records == 0 ? Chain.START : chains.get((int)records - 1);
    }

    /** The chain after this many groups. */
    long chainAfterGroups(final long groups)
    {
        return chainsOfGroups.get((int)groups);
    }
}
