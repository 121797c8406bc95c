// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import io.signalbox.engine.ring.IngressSlot;
import io.signalbox.engine.ring.TrackSlot;
import io.signalbox.stats.EngineStats;

/** Figures of the rings and of rows on their way. Any thread asks, and no thread of the engine waits for it. */
final class ShellFigures
{
    private final RingBuffer<IngressSlot> ingress;
    private final Sequence decided;
    private final RingBuffer<TrackSlot> track;
    private final TrackHandlers handlers;
    private final FinishedRows finishedRows;

    /** @param decided last input that the scheduler has taken. */
    ShellFigures(
        final RingBuffer<IngressSlot> ingress,
        final Sequence decided,
        final RingBuffer<TrackSlot> track,
        final TrackHandlers handlers,
        final FinishedRows finishedRows)
    {
        this.ingress = ingress;
        this.decided = decided;
        this.track = track;
        this.handlers = handlers;
        this.finishedRows = finishedRows;
    }

    EngineStats.Shell stats(final boolean running)
    {
        // Consumers before producers, so that no difference is negative.
        final long taken = decided.get();
        final long offered = ingress.getCursor();
        final long inJournal = handlers.appended();
        final long visible = handlers.durable();
        final long passed = handlers.handled();
        final long made = track.getCursor();
        final SignalboxEngine.UntakenRowCount untaken = finishedRows.count();
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
