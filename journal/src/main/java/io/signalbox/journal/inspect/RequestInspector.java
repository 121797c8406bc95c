// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.inspect;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.inspect.RequestInspection.JournalEnd;
import io.signalbox.router.RouterConfig;

import java.nio.file.Path;
import java.util.Map;

/** Collects the lives of one request id from a journal. Reads only; reads the whole journal, because an id may recur. */
public final class RequestInspector
{
    private RequestInspector()
    {
    }

    /**
     * Inspects a journal that is closed, was not closed, or is being written: then up to the last group that is whole.
     *
     * @throws JournalException if the journal is damaged.
     */
    public static RequestInspection inspect(final Path directory, final long requestId)
    {
        return inspect(directory, requestId, ReadProgress.NONE);
    }

    /** As {@link #inspect(Path, long)}, with a progress report. */
    public static RequestInspection inspect(final Path directory, final long requestId, final ReadProgress progress)
    {
        try (JournalReader reader = JournalReader.open(directory, progress))
        {
            final Map<String, String> settings = reader.settings();
            final int ranks = reader.ranks();
            final LifeCollector collector = new LifeCollector(
                requestId, settings.get(RouterConfig.LABEL), settings.get(RouterConfig.FALLBACK_LABEL));
            final JournalEnd end = read(directory, reader, collector);
            return new RequestInspection(requestId, ranks, collector.lives(), end,
                reader.groups(), collector.nowNanos(), collector.restarts(), reader.voided(), collector.submits());
        }
    }

    private static JournalEnd read(final Path directory, final JournalReader reader, final LifeCollector collector)
    {
        try
        {
            while (reader.next())
            {
                collect(directory, reader, collector);
            }
        }
        catch (final JournalException e)
        {
            if (e.kind() == Kind.BEING_WRITTEN)
            {
                return JournalEnd.BEING_WRITTEN;
            }
            throw e;
        }
        return switch (reader.ending())
        {
            case CLOSED -> JournalEnd.CLOSED;
            case DISK_FULL -> JournalEnd.DISK_FULL;
            case FAILED -> JournalEnd.FAILED;
            case RECOVERED -> JournalEnd.RECOVERED;
            case OPEN -> JournalEnd.NOT_CLOSED;
        };
    }

    /** The record's bytes are as they were written, but they may not be a group of a scheduler. */
    private static void collect(final Path directory, final JournalReader reader, final LifeCollector collector)
    {
        try
        {
            collector.onGroup(reader.group(), reader.groupLength(), reader.sequence(), reader.timeNanos());
        }
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e)
        {
            throw new JournalException(Kind.CORRUPT_RECORD, directory + ", record " + reader.sequence() +
                ": its group cannot be decoded (" + e.getMessage() + "); records ahead of it are good; the program that " +
                "wrote it is at fault.", e);
        }
    }
}
