// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.ConfigException;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.GroupSource;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalFollower;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.StateStart;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import org.agrona.DirectBuffer;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A question about a journal whose answer is a table. One pass over the groups answers it; a query keeps the state of live
 * requests or blocks, never the journal.
 */
public abstract class JournalQuery implements RunListener
{
    /** Receives the answer row by row. */
    @FunctionalInterface
    public interface RowReceiver
    {
        /** @param row a record of the type that the query names. */
        void onRow(Record row);

        /** Whether further rows are only counted, so that their values do not matter. */
        default boolean isFull()
        {
            return false;
        }
    }

    /** Holds the current group. */
    private GroupSource current;
    private RunFold fold;
    private FoldedState ahead;
    private RowReceiver receiver;
    /** {@code null}: all rows. */
    private Predicate<? super Record> wanted;
    private long nowNanos;
    private long record;

    /** Missing rows that the answer does not count; {@code null} if the answer does not count rows. */
    public Long missingRows()
    {
        return null;
    }

    /** The record of a row; its components are the columns of the answer. */
    public abstract Class<? extends Record> rowType();

    /** Lists only rows that meet a condition. Called before the question is answered. */
    public final void listOnly(final Predicate<? super Record> condition)
    {
        wanted = condition;
    }

    /** The columns that a person reads first, by their names in documents; empty: all. */
    public List<String> mainColumns()
    {
        return List.of();
    }

    /**
     * Answers the question from a journal that is closed, was not closed, or is being written: then up to the last group
     * that is whole. A query is used once.
     *
     * @throws JournalException if the journal is damaged.
     */
    public final JournalEnd run(final Path directory, final RowReceiver rows, final ReadProgress progress)
    {
        return runTo(directory, Long.MAX_VALUE, rows, progress);
    }

    /** As {@link #run}, up to the group of a record. */
    public final JournalEnd runTo(
        final Path directory, final long lastRecord, final RowReceiver rows, final ReadProgress progress)
    {
        if (needsAll())
        {
            try (StateStart start = StateStart.of(directory, progress))
            {
                ahead = start.state();
                return answer(directory, start.reader(), lastRecord, rows);
            }
        }
        try (JournalReader opened = JournalReader.openKept(directory, progress))
        {
            return answer(directory, opened, lastRecord, rows);
        }
    }

    final JournalEnd answer(
        final Path directory, final JournalReader opened, final long lastRecord, final RowReceiver rows)
    {
        receiver = rows;
        begin(opened);
        beginFold();
        final JournalEnd end = GroupCollector.readTo(directory, lastRecord, opened, this::onGroup);
        finish();
        return end;
    }

    /**
     * Answers the question from a journal that may still be written, until it is not: each row when it is known. Rows that
     * are sorted, and those that every group changes, are known at the end.
     *
     * @param again called when all that is written was read; waits, and says whether to read on.
     */
    public final JournalEnd follow(
        final Path directory, final RowReceiver rows, final ReadProgress progress, final BooleanSupplier again)
    {
        receiver = rows;
        final JournalFollower follower = new JournalFollower(directory, needsAll());
        final Consumer<JournalReader> collect = at -> GroupCollector.collect(directory, at, this::onGroup);
        final Consumer<JournalReader> begins = opened ->
        {
            ahead = follower.ahead();
            begin(opened);
            beginFold();
        };
        boolean ended = follower.follow(begins, collect, progress);
        while (!ended && again.getAsBoolean())
        {
            ended = follower.follow(begins, collect, progress);
        }
        finish();
        return ended ? JournalEnd.of(follower.ending()) : JournalEnd.BEING_WRITTEN;
    }

    private void beginFold()
    {
        final RunListener[] listeners = listeners().toArray(new RunListener[0]);
        fold = (needsAll() ? RunFold.of(listeners) : RunFold.within(listeners)).behind(ahead);
    }

    private void onGroup(final GroupSource groups)
    {
        current = groups;
        record = groups.sequence();
        nowNanos = groups.timeNanos();
        beginGroup();
        read(groups.group(), groups.groupLength());
    }

    /** Reads the messages of a group. */
    void read(final DirectBuffer group, final int length)
    {
        fold(group, length, nowNanos);
    }

    final void fold(final DirectBuffer group, final int length, final long timeNanos)
    {
        fold.onGroup(group, 0, length, timeNanos);
    }

    /**
     * Whether the answer depends on the state of the run: if records were removed, it begins behind a snapshot then, whose
     * state is {@link #ahead()}.
     */
    boolean needsAll()
    {
        return true;
    }

    /** The state ahead of the first group; {@code null} if nothing is ahead of it, or no state is needed. */
    final FoldedState ahead()
    {
        return ahead;
    }

    /** Reads what the query needs of the run description; may be called again before the first group. */
    void begin(final JournalReader journal)
    {
    }

    /** @throws ConfigException if the run has no such rank. */
    static void requireRank(final JournalReader journal, final int rank)
    {
        if (rank >= journal.ranks())
        {
            throw new ConfigException("rank " + rank + " is none of the run's, which are 0 to " + (journal.ranks() - 1) +
                "; give one of them.");
        }
    }

    /** This query, and those who listen before it. */
    List<RunListener> listeners()
    {
        return List.of(this);
    }

    /** Requests that have not ended, by ascending id. */
    final List<RunRequest> live()
    {
        return fold.live();
    }

    /** Before the messages of a group. */
    void beginGroup()
    {
    }

    /** After the last group. */
    void finish()
    {
    }

    final void row(final Record values)
    {
        if (isWanted(values))
        {
            receiver.onRow(values);
        }
    }

    final boolean isWanted(final Record values)
    {
        return wanted == null || wanted.test(values);
    }

    /** Whether further rows are only counted, so that their values do not matter. */
    final boolean isFull()
    {
        return wanted == null && receiver.isFull();
    }

    /** Logical time of the current group. */
    final long nowNanos()
    {
        return nowNanos;
    }

    /** Sequence number of the current group's record. */
    final long record()
    {
        return record;
    }

    /** Rows beside the current group; {@code null} if there are none. */
    final DirectBuffer chunkedRows()
    {
        return current.rows();
    }

    static String label(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
