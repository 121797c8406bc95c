// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.request.ShellInputs;
import io.signalbox.engine.ring.Alarm;
import io.signalbox.engine.ring.IngressSlot;
import io.signalbox.engine.ring.Pause;
import io.signalbox.engine.ring.SliceRelease;
import io.signalbox.engine.ring.TrackSlot;
import io.signalbox.engine.ring.Waits;
import io.signalbox.engine.step.DeadlineWatch;
import io.signalbox.scheduler.Scheduler;
import org.agrona.DirectBuffer;

/** The scheduler thread: owns the core, and turns each input into one group on the track. */
final class SchedulerHandler implements EventHandler<IngressSlot>
{
    private final ThreadedEngine engine;
    private final Scheduler scheduler;
    private final RingBuffer<TrackSlot> track;
    private final TrackHandlers handlers;
    private final FinishedRows finishedRows;
    private final DeadlineWatch deadlines;
    private final Alarm alarm;
    private final boolean wakesItself;
    private final ShellInputs shellWriter = new ShellInputs();
    /** The last input whose groups are on the track, those that the shell adds included. */
    private final Sequence decided = new Sequence();
    private Sequence inputs;

    SchedulerHandler(
        final ThreadedEngine engine,
        final EngineContext context,
        final RingBuffer<TrackSlot> track,
        final TrackHandlers handlers,
        final FinishedRows finishedRows,
        final DeadlineWatch deadlines,
        final Alarm alarm)
    {
        this.engine = engine;
        this.track = track;
        this.handlers = handlers;
        this.finishedRows = finishedRows;
        this.deadlines = deadlines;
        this.alarm = alarm;
        scheduler = context.scheduler();
        wakesItself = context.wakeSource() == EngineConfig.WakeSource.ENGINE;
    }

    @Override
    public void setSequenceCallback(final Sequence sequenceCallback)
    {
        inputs = sequenceCallback;
    }

    @Override
    public void onEvent(final IngressSlot slot, final long sequence, final boolean endOfBatch)
    {
        if (engine.isFailed())
        {
            slot.releaseRows();
            return;
        }
        if (!slot.isEmpty())
        {
            process(slot.input(), slot.length(), slot.takeRows());
            // Its credit may be back already, and a report needs the slot even if the track is full from here on.
            inputs.set(sequence);
            discardUntakenRows();
        }
        // The shell chooses when to wake. The Wake is an input like any other, so the core sees no batches.
        if (endOfBatch && wakesItself && !engine.isClosing() && scheduler.wantsWake())
        {
            shellWriter.wake(scheduler.timeNanos());
            process(shellWriter.buffer(), shellWriter.length(), null);
        }
        inputs.set(sequence);
        handlers.published(endOfBatch);
        decided.set(sequence);
    }

    Sequence decided()
    {
        return decided;
    }

    /** The shell also chooses when to discard untaken rows; its input is journaled, so replay repeats it. */
    private void discardUntakenRows()
    {
        for (long id = nextToDiscard(); id != FinishedRows.NO_REQUEST; id = nextToDiscard())
        {
            shellWriter.discardRows(id, scheduler.timeNanos());
            process(shellWriter.buffer(), shellWriter.length(), null);
        }
    }

    private long nextToDiscard()
    {
        return finishedRows.nextToDiscard(scheduler.timeNanos());
    }

    private void process(final DirectBuffer input, final int length, final CaptureSlice rows)
    {
        CaptureSlice held = rows;
        try
        {
            awaitTrackRoom();
            final long sequence = track.next();
            final TrackSlot slot = track.get(sequence);
            slot.group.reset();
            scheduler.apply(
                input, 0, length, rows == null ? null : rows.buffer(), rows == null ? 0 : rows.offset(), slot.group);
            slot.set(scheduler.timeNanos(), rows);
            held = null;
            publish(input, length, sequence);
        }
        catch (final RuntimeException | Error e)
        {
            SliceRelease.after(e, held);
            throw e;
        }
    }

    private void publish(final DirectBuffer input, final int length, final long sequence)
    {
        // Before the group is published, so that a listener that sees a Free finds the rows.
        finishedRows.update(scheduler);
        if (deadlines.applied(
            input, length, Math.min(scheduler.nextDeadlineNanos(), finishedRows.nextTooOldNanos())))
        {
            alarm.dueAt(deadlines.nextTickNanos());
        }
        track.publish(sequence);
    }

    /** A full track only stops the scheduler from taking the next input. */
    private void awaitTrackRoom()
    {
        if (track.hasAvailableCapacity(1))
        {
            return;
        }
        handlers.hurry();
        final Waits wait = Waits.begin(Waits.TRACK);
        for (int spins = 0; !track.hasAvailableCapacity(1); spins++)
        {
            engine.checkRunning();
            Pause.pause(spins);
        }
        wait.end();
    }
}
