// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.BatchRing;
import io.signalbox.journal.segment.Chain;
import io.signalbox.journal.segment.GroupBatch;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;
import java.util.Map;

/**
 * Reads the groups of a journal in another thread, a bounded number of batches ahead: reading and checking take a third of
 * a re-run. The groups, their order and the end are those of the reader, and so is a fault: it comes behind the groups
 * ahead of it. The reader belongs to the other thread until {@link #stop()}, or until {@link #next()} has returned false.
 */
final class ReadAhead implements GroupSource
{
    private static final int SEQUENCE = 0;
    private static final int GROUPS = 1;
    private static final int CHAIN = 2;
    private static final int TIME = 3;

    private final JournalReader reader;
    private final List<VoidedInput> voided;
    private final BatchRing ring = new BatchRing();
    private final Thread thread;
    private final UnsafeBuffer group = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer rows = new UnsafeBuffer(0, 0);
    private volatile boolean stopped;
    private GroupBatch batch;
    private int index = -1;
    private boolean ended;
    private long sequence;
    private long groups;
    private long chain;
    private long timeNanos;

    private ReadAhead(final JournalReader reader)
    {
        this.reader = reader;
        sequence = reader.sequence();
        groups = reader.groups();
        chain = reader.chain();
        voided = reader.voided();
        thread = new Thread(this::read, "signalbox-journal-reader");
        thread.setDaemon(true);
    }

    /** Reads ahead if this machine has a core for it; otherwise the reader itself. */
    static GroupSource of(final JournalReader reader)
    {
        return of(reader, Runtime.getRuntime().availableProcessors());
    }

    static GroupSource of(final JournalReader reader, final int processors)
    {
        if (processors < 2)
        {
            return reader;
        }
        final ReadAhead ahead = new ReadAhead(reader);
        ahead.thread.start();
        return ahead;
    }

    private void read()
    {
        GroupBatch filling = ring.takeEmpty();
        try
        {
            while (!stopped && reader.next())
            {
                filling.add(
                    reader.group(), 0, reader.groupLength(), reader.rows(), 0, reader.rowsLength());
                filling.note(reader.sequence(), reader.groups(), reader.chain(), reader.timeNanos());
                if (filling.isFull())
                {
                    ring.handOn(filling);
                    filling = ring.takeEmpty();
                }
            }
            filling.end();
        }
        catch (final Throwable e)
        {
            filling.fail(e);
        }
        ring.handOn(filling);
    }

    @Override
    public boolean next()
    {
        while (batch == null || index + 1 == batch.groups())
        {
            if (batch != null && batch.isLast())
            {
                batch.rethrow();
                ended = true;
                return false;
            }
            nextBatch();
        }
        index++;
        sequence = batch.note(index, SEQUENCE);
        groups = batch.note(index, GROUPS);
        chain = batch.note(index, CHAIN);
        timeNanos = batch.note(index, TIME);
        group.wrap(batch.bytes(), batch.groupStart(index), batch.groupLength(index));
        return true;
    }

    private void nextBatch()
    {
        if (batch != null)
        {
            ring.giveBack(batch);
        }
        if (Thread.currentThread().isInterrupted())
        {
            // Ends the reading of the file, as it does in one thread.
            thread.interrupt();
        }
        batch = ring.takeFilled();
        index = -1;
    }

    @Override
    public DirectBuffer group()
    {
        return group;
    }

    @Override
    public int groupLength()
    {
        return group.capacity();
    }

    @Override
    public DirectBuffer rows()
    {
        if (!batch.hasRows(index))
        {
            return null;
        }
        rows.wrap(batch.bytes(), batch.rowsStart(index), batch.rowsLength(index));
        return rows;
    }

    @Override
    public long timeNanos()
    {
        return timeNanos;
    }

    @Override
    public long sequence()
    {
        return sequence;
    }

    @Override
    public long records()
    {
        return ended ? reader.records() : sequence + 1;
    }

    @Override
    public long groups()
    {
        return ended ? reader.groups() : groups;
    }

    @Override
    public String digest()
    {
        return ended ? reader.digest() : Chain.text(chain);
    }

    @Override
    public Ending ending()
    {
        return ended ? reader.ending() : Ending.OPEN;
    }

    @Override
    public List<VoidedInput> voided()
    {
        return voided;
    }

    @Override
    public Map<String, String> settings()
    {
        return reader.settings();
    }

    @Override
    public void close()
    {
        stop();
    }

    @Override
    public void stop()
    {
        stopped = true;
        if (batch != null)
        {
            ring.giveBack(batch);
            batch = null;
        }
        ring.drop();
        BatchRing.await(thread);
    }
}
