// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.journal.segment.BatchRing;
import io.signalbox.journal.segment.GroupBatch;
import org.agrona.DirectBuffer;
import org.agrona.LangUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Map;

/**
 * Appends the groups of a run in another thread, a bounded number of batches behind it: the same groups in the same order.
 * For runs of which nobody sees a result before {@link #close()}, such as a simulation: an append that has returned is not
 * yet in the file, and a fault of the journal ends the run some groups later, at {@link #close()} at the latest. One thread
 * at a time appends. The other thread begins with the first group.
 */
public final class WriteBehind implements GroupJournal
{
    private static final int TIME = 0;
    private static final int ROW_COUNT = 1;
    private static final int ROW_BYTES = 2;

    private final GroupJournal journal;
    private final BatchRing ring = new BatchRing();
    private final Thread thread;
    private GroupBatch filling;
    private volatile Throwable failure;
    private boolean told;
    private boolean closed;

    private WriteBehind(final GroupJournal journal)
    {
        this.journal = journal;
        filling = ring.takeEmpty();
        thread = new Thread(this::write, "signalbox-journal-writer");
        thread.setDaemon(true);
    }

    /** Writes behind the run if this machine has a core for it; otherwise the journal itself. */
    public static GroupJournal of(final GroupJournal journal)
    {
        return of(journal, Runtime.getRuntime().availableProcessors());
    }

    static GroupJournal of(final GroupJournal journal, final int processors)
    {
        return processors < 2 ? journal : new WriteBehind(journal);
    }

    @Override
    public Map<String, String> runDescription()
    {
        return journal.runDescription();
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        tellFailure();
        if (rows == null)
        {
            filling.add(group, offset, length, null, 0, 0);
            filling.note(timeNanos, 0, 0, 0);
        }
        else
        {
            filling.add(group, offset, length, rows.buffer(), rows.offset(), rows.rowCount() * rows.rowBytes());
            filling.note(timeNanos, rows.rowCount(), rows.rowBytes(), 0);
        }
        if (filling.isFull())
        {
            handOn();
            filling = ring.takeEmpty();
        }
    }

    private void handOn()
    {
        if (thread.getState() == Thread.State.NEW)
        {
            thread.start();
        }
        ring.handOn(filling);
    }

    private void tellFailure()
    {
        if (failure != null)
        {
            told = true;
            rethrow();
        }
    }

    private void rethrow()
    {
        LangUtil.rethrowUnchecked(failure);
    }

    private void write()
    {
        final UnsafeBuffer group = new UnsafeBuffer(0, 0);
        final Rows rows = new Rows();
        boolean more = true;
        while (more)
        {
            final GroupBatch batch = ring.takeFilled();
            if (failure == null)
            {
                append(batch, group, rows);
            }
            more = !batch.isLast();
            ring.giveBack(batch);
        }
    }

    private void append(final GroupBatch batch, final UnsafeBuffer group, final Rows rows)
    {
        try
        {
            for (int i = 0; i < batch.groups(); i++)
            {
                group.wrap(batch.bytes(), batch.groupStart(i), batch.groupLength(i));
                journal.append(batch.note(i, TIME), group, 0, batch.groupLength(i), rows.of(batch, i));
            }
            journal.endOfBatch();
        }
        catch (final Throwable e)
        {
            failure = e;
        }
    }

    /** The other thread ends its batches by itself. */
    @Override
    public void endOfBatch()
    {
    }

    @Override
    public String refusesRequests()
    {
        return journal.refusesRequests();
    }

    @Override
    public void cutShort()
    {
        journal.cutShort();
    }

    /** Appends what is left, and closes the journal. A second call does nothing. */
    @Override
    public void close()
    {
        if (closed)
        {
            return;
        }
        closed = true;
        try
        {
            if (thread.isAlive() || filling.groups() > 0)
            {
                filling.end();
                handOn();
                BatchRing.await(thread);
            }
            if (failure != null && !told)
            {
                journal.cutShort();
                rethrow();
            }
        }
        finally
        {
            journal.close();
        }
    }

    /** Rows of a group of a batch. */
    private static final class Rows implements CaptureSlice
    {
        private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
        private int rowCount;
        private int rowBytes;

        /** {@code null} if the group has none. */
        Rows of(final GroupBatch batch, final int index)
        {
            if (!batch.hasRows(index))
            {
                return null;
            }
            buffer.wrap(batch.bytes(), batch.rowsStart(index), batch.rowsLength(index));
            rowCount = (int)batch.note(index, ROW_COUNT);
            rowBytes = (int)batch.note(index, ROW_BYTES);
            return this;
        }

        @Override
        public DirectBuffer buffer()
        {
            return buffer;
        }

        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public int rowCount()
        {
            return rowCount;
        }

        @Override
        public int rowBytes()
        {
            return rowBytes;
        }

        /** The batch is used again when all of it is written. */
        @Override
        public void release()
        {
        }
    }
}
