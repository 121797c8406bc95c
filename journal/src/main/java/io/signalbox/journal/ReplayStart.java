// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.EventReader;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where a journal can be decided again from: its first record or, if records were removed, behind the oldest snapshot of its
 * scheduler that fits.
 *
 * @param reader      of what follows.
 * @param scheduler   in the state ahead of that.
 * @param firstRecord the first record that the reader reads; 0: all of them.
 * @param requests    those that had not ended ahead of it, in the order of their Submits.
 * @param ended       requests whose ends are ahead of it, in records that are kept.
 */
public record ReplayStart(
    JournalReader reader, Scheduler scheduler, long firstRecord, List<EarlierRequest> requests, long ended)
    implements AutoCloseable
{
    /**
     * @param routers those that the run description may name.
     * @throws JournalException if the journal cannot be read; RECORDS_REMOVED if no snapshot fits.
     */
    public static ReplayStart of(final Path directory, final DpRouters routers, final ReadProgress progress)
    {
        final JournalBeginning beginning = JournalBeginning.of(directory);
        if (beginning == null)
        {
            final JournalReader reader = JournalReader.open(directory, progress);
            try
            {
                return atTheFirstRecord(reader, routers);
            }
            catch (final RuntimeException | Error e)
            {
                reader.close();
                throw e;
            }
        }
        final SnapshotStart start = SnapshotStart.oldest(directory, routers, progress);
        try
        {
            final UnderWay ahead = new UnderWay(beginning);
            try (JournalReader reader = JournalReader.openKept(directory, progress))
            {
                while (reader.records() < start.records() && reader.next())
                {
                    ahead.readGroup(reader.group(), 0, reader.groupLength());
                }
            }
            return new ReplayStart(
                start.reader(), start.scheduler(), start.records(), List.copyOf(ahead.live.values()), ahead.ended);
        }
        catch (final RuntimeException | Error e)
        {
            start.reader().close();
            throw e;
        }
    }

    /** @param reader of a whole journal, which has handed out no group yet. */
    public static ReplayStart atTheFirstRecord(final JournalReader reader, final DpRouters routers)
    {
        return new ReplayStart(reader, new Scheduler(reader.config(routers)), 0, List.of(), 0);
    }

    /** Folds groups into the requests that have not ended. */
    private static final class UnderWay extends EventReader
    {
        private final Map<Long, EarlierRequest> live = new LinkedHashMap<>();
        private EarlierRequest submitted;
        private long ended;

        private UnderWay(final JournalBeginning beginning)
        {
            super(SubmitDecoder.TEMPLATE_ID, AcceptedDecoder.TEMPLATE_ID, FreeDecoder.TEMPLATE_ID);
            beginning.requests().forEach(request -> live.put(request.requestId(), request));
        }

        @Override
        protected void onSubmit(final SubmitDecoder submit)
        {
            submitted = new EarlierRequest(
                submit.requestId(), submit.timeNanos(), submit.promptTokens(), submit.maxNewTokens());
        }

        @Override
        protected void onAccepted(final AcceptedDecoder accepted)
        {
            live.put(accepted.requestId(), submitted);
        }

        @Override
        protected void onFree(final FreeDecoder free)
        {
            live.remove(free.requestId());
            ended++;
        }
    }

    @Override
    public void close()
    {
        reader.close();
    }
}
