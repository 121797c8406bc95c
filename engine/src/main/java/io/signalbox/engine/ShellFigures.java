// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import io.signalbox.stats.EngineStats;

/** Figures of the rings and of rows on their way. Any thread asks, and no thread of the engine waits for it. */
final class ShellFigures
{
    private final RingBuffer<IngressSlot> ingress;
    private final Sequence decided;
    private final RingBuffer<TrackSlot> track;
    private final Sequence appended;
    private final Sequence durable;
    private final Sequence dispatched;
    private final Sequence seen;
    private final FinishedRows finishedRows;

    /**
     * @param decided    last input that the scheduler has taken.
     * @param appended   last group in the journal; {@code durable}: last one that is as durable as the user chose.
     * @param dispatched last group of the dispatch; {@code seen}: last one of the clients.
     */
    ShellFigures(
        final RingBuffer<IngressSlot> ingress,
        final Sequence decided,
        final RingBuffer<TrackSlot> track,
        final Sequence appended,
        final Sequence durable,
        final Sequence dispatched,
        final Sequence seen,
        final FinishedRows finishedRows)
    {
        this.ingress = ingress;
        this.decided = decided;
        this.track = track;
        this.appended = appended;
        this.durable = durable;
        this.dispatched = dispatched;
        this.seen = seen;
        this.finishedRows = finishedRows;
    }

    EngineStats.Shell stats(final boolean running)
    {
        // Consumers before producers, so that no difference is negative.
        final long taken = decided.get();
        final long offered = ingress.getCursor();
        final long inJournal = appended.get();
        final long visible = durable.get();
        final long passed = Math.min(dispatched.get(), seen.get());
        final long made = track.getCursor();
        final SignalboxEngine.UntakenRows untaken = finishedRows.count();
        return new EngineStats.Shell(running,
            new EngineStats.Rings(offered - taken, ingress.getBufferSize(), made - passed, track.getBufferSize(),
                made - visible, made + 1),
            new EngineStats.Results(slices(taken, offered, inJournal, made), untaken.requests(), untaken.bytes(),
                untaken.discardedRequests()));
    }

    /** Slices in slots that hold content. The slots change meanwhile: a slice may be missed on its way between two rings. */
    private long slices(final long taken, final long offered, final long inJournal, final long made)
    {
        long slices = 0;
        for (long sequence = Math.max(taken + 1, offered - ingress.getBufferSize() + 1); sequence <= offered; sequence++)
        {
            slices += ingress.get(sequence).holdsRows() ? 1 : 0;
        }
        for (long sequence = Math.max(inJournal + 1, made - track.getBufferSize() + 1); sequence <= made; sequence++)
        {
            slices += track.get(sequence).holdsRows() ? 1 : 0;
        }
        return slices;
    }
}
