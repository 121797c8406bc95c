// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.ConfigException;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.GroupListener;
import io.signalbox.engine.RecordedRun;
import io.signalbox.engine.RunJournal;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.scheduler.Scheduler;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Keeps a run on the heap, so that a test can stop its engine between any two groups. */
final class MemoryRun implements RunJournal
{
    private static final int NEVER = -1;

    private record Recorded(long timeNanos, byte[] group, byte[] rows)
    {
    }

    private final List<Recorded> records = new ArrayList<>();
    private Map<String, String> description;
    private int stopAt = NEVER;
    private boolean keepsLast;

    /** The engine is stopped by an exception once so many further groups were appended. */
    void stopAfter(final int groups, final boolean keepLast)
    {
        stopAt = records.size() + groups;
        keepsLast = keepLast;
    }

    int groups()
    {
        return records.size();
    }

    Map<String, String> description()
    {
        return description;
    }

    /** Logical time of a group. */
    long timeNanos(final int group)
    {
        return records.get(group).timeNanos;
    }

    void read(final EventReader reader)
    {
        records.forEach(record -> reader.readGroup(new UnsafeBuffer(record.group), 0, record.group.length));
    }

    void read(final int group, final EventReader reader)
    {
        reader.readGroup(new UnsafeBuffer(records.get(group).group), 0, records.get(group).group.length);
    }

    @Override
    public RecordedRun open(final Map<String, String> wanted)
    {
        if (description != null && !description.equals(wanted))
        {
            throw new ConfigException("another run");
        }
        description = wanted;
        stopAt = NEVER;
        return new Continued();
    }

    /** The run, open for its next engine. */
    private final class Continued implements RecordedRun
    {
        @Override
        public void replay(final Scheduler scheduler, final GroupListener follower)
        {
            final GroupWriter now = new GroupWriter(1 << 16);
            final GroupReader messages = new GroupReader();
            for (final Recorded record : records)
            {
                final UnsafeBuffer group = new UnsafeBuffer(record.group);
                now.reset();
                assertTrue(messages.wrap(group, 0, record.group.length).next());
                scheduler.apply(group, messages.offset(), messages.messageLength(),
                    record.rows == null ? null : new UnsafeBuffer(record.rows), 0, now);
                assertArrayEquals(record.group, copy(now.buffer(), 0, now.length()));
                follower.onGroup(group, 0, record.group.length);
            }
        }

        @Override
        public long groups()
        {
            return records.size();
        }

        @Override
        public long lastTimeNanos()
        {
            return records.isEmpty() ? 0 : records.get(records.size() - 1).timeNanos;
        }

        @Override
        public GroupJournal journal()
        {
            return new Appending();
        }

        @Override
        public void close()
        {
        }
    }

    private static byte[] copy(final DirectBuffer source, final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        source.getBytes(offset, bytes);
        return bytes;
    }

    /** Appends to the run. */
    private final class Appending implements GroupJournal
    {
        @Override
        public void append(
            final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
        {
            final boolean stops = records.size() + 1 == stopAt;
            if (!stops || keepsLast)
            {
                records.add(new Recorded(timeNanos, copy(group, offset, length),
                    rows == null ? null : copy(rows.buffer(), rows.offset(), rows.rowCount() * rows.rowBytes())));
            }
            if (stops)
            {
                throw new IllegalStateException("the engine is stopped here");
            }
        }

        @Override
        public void endOfBatch()
        {
        }

        @Override
        public void close()
        {
        }
    }
}
