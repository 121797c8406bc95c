// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.journal.JournalReader;
import io.signalbox.journal.StateStart;
import org.agrona.collections.LongArrayList;

import java.nio.file.Path;
import java.util.Set;
import java.util.function.Supplier;

/** Asks journals that are no files everything that the command line asks: tables, a request's life, trace and timeline. */
public final class QuestionsOf
{
    /** Kinds of questions. */
    public static final int KINDS = 10;
    private static final TimeWindow ALWAYS = new TimeWindow(Long.MIN_VALUE, Long.MAX_VALUE);
    private static final Path NAME = Path.of("journal");

    private QuestionsOf()
    {
    }

    /** @param journal opens the journal; may be called twice. */
    public static void ask(final int kind, final Supplier<JournalReader> journal)
    {
        switch (kind)
        {
            case 0 -> table(new RequestQuery(new RequestFilter(null, false, -1, null, ALWAYS, 3)), journal);
            case 1 -> table(new RankQuery(1, 1_000_000, ALWAYS), journal);
            case 2 -> table(BlockQuery.ofBlock(0, 3), journal);
            case 3 -> table(BlockQuery.ofRequest(2), journal);
            case 4 -> table(ExpertQuery.all(ALWAYS), journal);
            case 5 -> table(new StepQuery(2), journal);
            case 6 -> table(new EventQuery(new EventFilter(Set.of(), -1, null, null, ALWAYS)), journal);
            case 7 -> RequestInspector.inspectTo(NAME, journal.get(), 2, Long.MAX_VALUE, true);
            case 8 -> JournaledWorkload.read(NAME, request -> { }, journal, journal);
            default -> Timeline.read(NAME, new StateStart(journal.get(), null), new Nobody(), ALWAYS);
        }
    }

    private static void table(final JournalQuery query, final Supplier<JournalReader> journal)
    {
        query.answer(NAME, journal.get(), Long.MAX_VALUE, values -> { });
    }

    private static final class Nobody implements TimelineReceiver
    {
        @Override
        public void onRun(final int ranks)
        {
            // Nothing is drawn.
        }

        @Override
        public void onStep(
            final int rank,
            final long step,
            final long beginNanos,
            final long endNanos,
            final int entries,
            final int tokens,
            final LongArrayList requests)
        {
            // Nothing is drawn.
        }

        @Override
        public void onMark(final int rank, final long nanos, final String name, final long requestId)
        {
            // Nothing is drawn.
        }

        @Override
        public void onEnd(final long openSteps)
        {
            // Nothing is drawn.
        }

        @Override
        public void onFigures(final int rank, final long nanos, final long blocksInUse, final long runningRequests)
        {
            // Nothing is drawn.
        }
    }
}
