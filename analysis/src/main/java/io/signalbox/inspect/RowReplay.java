// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.engine.FreeSpans;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.RequestInspection.SubmittedIds;
import io.signalbox.journal.Difference;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.ReplayStart;
import io.signalbox.journal.Verification;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import org.agrona.collections.Long2LongHashMap;

/**
 * Hands out the routed-expert rows of each request of a journal when it ends. The rows are those of a scheduler that
 * re-runs every input, and whose every decision equals the recorded one: rows that were inherited, copied or kept over a
 * preemption are the ones that the client could take. Holds what the scheduler held then, and no row longer.
 */
public final class RowReplay
{
    /** Receives the ends of requests in the order of the journal. */
    @FunctionalInterface
    public interface Receiver
    {
        void onEnded(EndedRequest request);
    }

    /**
     * How the re-run ended.
     *
     * @param end        {@link JournalEnd#NOT_CLOSED} if it stopped at a difference.
     * @param submitted  the Submits that were read.
     * @param unfinished accepted requests that had not ended.
     * @param difference the first group that differs; its requests and all later ones were not handed out. {@code null} if
     *                   every group is equal.
     * @param firstRecord of the re-run; 0, unless records were removed. Requests that ended ahead of it are not handed out.
     * @param endedAhead of those, requests whose Submits are kept.
     */
    public record Outcome(
        JournalEnd end, SubmittedIds submitted, long unfinished, Difference difference, long firstRecord, long endedAhead)
    {
    }

    private RowReplay()
    {
    }

    /**
     * Re-runs a journal that is closed, was not closed, or is being written: then up to the last group that is whole.
     *
     * @param start its reader has handed out no group yet; its configuration captures rows.
     * @throws JournalException if the journal is damaged.
     */
    public static Outcome run(final ReplayStart start, final Receiver receiver)
    {
        final Ends ends = new Ends(start, receiver);
        try
        {
            final Verification verification =
                JournalVerifier.replay(start.reader(), start.scheduler(), RunFold.within(ends)::onGroup);
            return ends.outcome(JournalEnd.of(verification.ending()), verification.difference());
        }
        catch (final JournalException e)
        {
            if (e.kind() == Kind.BEING_WRITTEN)
            {
                return ends.outcome(JournalEnd.BEING_WRITTEN, null);
            }
            throw e;
        }
    }

    /** Reads the ends from groups that the scheduler has just confirmed. */
    private static final class Ends implements RunListener
    {
        private static final long ABSENT = -1;

        private final ReplayStart start;
        private final Receiver receiver;
        private final Long2LongHashMap promptTokens = new Long2LongHashMap(ABSENT);
        private final SubmitCount submits = new SubmitCount();

        private Ends(final ReplayStart start, final Receiver receiver)
        {
            this.start = start;
            this.receiver = receiver;
            start.requests().forEach(request -> promptTokens.put(request.requestId(), request.promptTokens()));
        }

        private Outcome outcome(final JournalEnd end, final Difference difference)
        {
            return new Outcome(
                end, submits.submits(), promptTokens.size(), difference, start.firstRecord(), start.ended());
        }

        @Override
        public void onSubmit(final SubmitDecoder submit)
        {
            submits.add(submit.requestId());
        }

        @Override
        public void onAccepted(final RunRequest request)
        {
            promptTokens.put(request.id(), request.promptTokens());
        }

        @Override
        public void onEnded(final RunRequest request, final FreeDecoder end)
        {
            final long id = end.requestId();
            receiver.onEnded(new EndedRequest(id, end.reason(), (int)promptTokens.remove(id), end.computedTokens(),
                FreeSpans.of(end), start.scheduler().rows(id)));
        }
    }
}
