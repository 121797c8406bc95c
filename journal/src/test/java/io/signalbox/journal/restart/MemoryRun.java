// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.ConfigException;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.GroupListener;
import io.signalbox.engine.RecordedRun;
import io.signalbox.engine.ReplayTarget;
import io.signalbox.engine.RunJournal;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.image.SchedulerImage;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

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
    /** Chooses the groups behind which replays begin; {@code null}: they begin at the first. */
    private Random snapshots;

    /** The engine is stopped by an exception once so many further groups were appended. */
    void stopAfter(final int groups, final boolean keepLast)
    {
        stopAt = records.size() + groups;
        keepsLast = keepLast;
    }

    /** From now on the scheduler of each engine is made of an image, taken behind a random group. */
    void beginAtSnapshots(final Random random)
    {
        snapshots = random;
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
            replay(scheduler, 0, records.size(), follower);
        }

        private void replay(final Scheduler scheduler, final int from, final int to, final GroupListener follower)
        {
            final GroupWriter now = new GroupWriter(1 << 16);
            final GroupReader messages = new GroupReader();
            for (final Recorded record : records.subList(from, to))
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
        public void replayInto(final SchedulerConfig config, final ReplayTarget target)
        {
            final int at = snapshots == null ? 0 : snapshots.nextInt(records.size() + 1);
            final Scheduler written = new Scheduler(config);
            replay(written, 0, at, (group, offset, length) -> { });
            records.subList(0, at).forEach(
                record -> target.onGroup(new UnsafeBuffer(record.group), 0, record.group.length));
            final Scheduler scheduler = at == 0 ? written : copyOf(written, config);
            target.begin(scheduler);
            replay(scheduler, at, records.size(), target);
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

    private static Scheduler copyOf(final Scheduler scheduler, final SchedulerConfig config)
    {
        final ByteArrayOutputStream image = new ByteArrayOutputStream();
        try
        {
            SchedulerImage.write(scheduler, image);
            return SchedulerImage.read(config, new ByteArrayInputStream(image.toByteArray()), image.size());
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
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
