// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalRetention;
import io.signalbox.journal.ReadProgress;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.FoldedMatches;

import java.nio.file.Path;
import java.util.Map;

/** Collects the lives of one request id from a journal. Reads only; reads the whole journal, because an id may recur. */
public final class RequestInspector
{
    private RequestInspector()
    {
    }

    /**
     * Inspects a journal that is closed, was not closed, or is being written: then up to the last group that is whole. A
     * life whose Submit was removed is not found.
     *
     * @throws io.signalbox.journal.JournalException if the journal is damaged.
     */
    public static RequestInspection inspect(final Path directory, final long requestId)
    {
        return inspect(directory, requestId, ReadProgress.NONE);
    }

    /** As {@link #inspect(Path, long)}, with a progress report. */
    public static RequestInspection inspect(final Path directory, final long requestId, final ReadProgress progress)
    {
        return inspectTo(directory, requestId, Long.MAX_VALUE, progress);
    }

    /** As {@link #inspect(Path, long, ReadProgress)}, up to the group of a record. */
    public static RequestInspection inspectTo(
        final Path directory, final long requestId, final long record, final ReadProgress progress)
    {
        try (JournalReader reader = JournalReader.openKept(directory, progress))
        {
            return inspectTo(directory, reader, requestId, record, JournalRetention.firstRecord(directory) == 0);
        }
    }

    /** @param isWhole whether the journal still has all records. */
    static RequestInspection inspectTo(
        final Path directory, final JournalReader reader, final long requestId, final long record, final boolean isWhole)
    {
        final Map<String, String> settings = reader.settings();
        final int ranks = reader.ranks();
        final FoldedMatches matches = !isWhole ? FoldedMatches.none() : FoldedMatches.of(ranks,
            reader.setting(SchedulerConfig.BLOCK_SIZE_TOKENS),
            reader.setting(SchedulerConfig.EVICTION_POLICY) == EvictionPolicy.LRU);
        final LifeCollector collector = new LifeCollector(
            id -> id == requestId, settings.get(RouterConfig.LABEL), settings.get(RouterConfig.FALLBACK_LABEL), matches);
        final JournalEnd end = GroupCollector.readTo(directory, record, reader, collector);
        return new RequestInspection(requestId, ranks, collector.lives(requestId), end,
            reader.groups(), collector.nowNanos(), collector.restarts(), reader.voided(), collector.submits());
    }
}
