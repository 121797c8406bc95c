// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import org.agrona.collections.IntArrayList;

import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many draft tokens the steps of each request of a journal accepted: a count per step that emitted tokens, without the
 * one that computed the last token of the prompt. A step emits one token more than it accepts drafts.
 *
 * @param counts     by ascending request id; empty for a request that was refused, or emitted at most one token.
 * @param unfinished requests that had not ended when the journal ends; their later steps are not counted.
 */
public record AcceptedDrafts(SortedMap<Long, int[]> counts, long unfinished)
{
    /**
     * Reads a journal that is closed, was not closed, or is being written: then up to the last group that is whole.
     *
     * @throws io.signalbox.journal.JournalException if the journal is damaged.
     */
    public static AcceptedDrafts read(final Path directory, final ReadProgress progress)
    {
        try (JournalReader reader = JournalReader.openKept(directory, progress))
        {
            final Collector collector = new Collector();
            final RunFold fold = RunFold.within(collector);
            GroupCollector.read(directory, reader, groups -> fold.onGroup(groups.group(), 0, groups.groupLength()));
            final SortedMap<Long, int[]> counts = new TreeMap<>();
            // A series has a line per id: a turn that was never asked keeps its line.
            for (long id = 1; !collector.counts.isEmpty() && id < collector.counts.lastKey(); id++)
            {
                counts.put(id, new int[0]);
            }
            collector.counts.forEach((id, emissions) -> counts.put(id, emissions.withoutPrompt()));
            return new AcceptedDrafts(counts, fold.live().size());
        }
    }

    /** Tokens that the steps of a request emitted, less one each; the first step is that of the prompt. */
    private static final class Emissions
    {
        private final IntArrayList accepted = new IntArrayList();

        private int[] withoutPrompt()
        {
            final int[] counts = new int[Math.max(0, accepted.size() - 1)];
            for (int i = 0; i < counts.length; i++)
            {
                counts[i] = accepted.getInt(i + 1);
            }
            return counts;
        }
    }

    private static final class Collector implements RunListener
    {
        private final SortedMap<Long, Emissions> counts = new TreeMap<>();

        @Override
        public void onSubmit(final SubmitDecoder asked)
        {
            counts.computeIfAbsent(asked.requestId(), id -> new Emissions());
        }

        /** Of a request that was submitted in records that were removed, the first steps are not known. */
        @Override
        public void onTokens(final RunRequest request, final int count, final long sinceNanos)
        {
            counts.get(request.id()).accepted.addInt(count - 1);
        }
    }
}
