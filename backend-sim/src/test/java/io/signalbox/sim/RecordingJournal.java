// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.TickDecoder;
import io.signalbox.event.codec.WakeDecoder;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Writes down the inputs of a run, one line each, how requests ended, and a checksum over every byte of every group. */
final class RecordingJournal extends EventReader implements GroupJournal
{
    final List<String> inputs = new ArrayList<>();
    final List<Long> times = new ArrayList<>();
    final List<Long> submitted = new ArrayList<>();
    final List<Long> ended = new ArrayList<>();
    private final List<Integer> endedUpTo = new ArrayList<>();
    int preempted;
    int evicted;
    boolean closed;
    private final CRC32C checksum = new CRC32C();
    private long time;

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        addToChecksum(group, offset, length);
        if (rows != null)
        {
            addToChecksum(rows.buffer(), rows.offset(), rows.rowCount() * rows.rowBytes());
        }
        times.add(timeNanos);
        time = timeNanos;
        readGroup(group, offset, length);
        endedUpTo.add(ended.size());
    }

    /** Requests that had ended with the group of the given index. */
    int endedBy(final int index)
    {
        return endedUpTo.get(index);
    }

    private void addToChecksum(final DirectBuffer bytes, final int offset, final int length)
    {
        final byte[] copy = new byte[length];
        bytes.getBytes(offset, copy);
        checksum.update(copy);
    }

    private void input(final String line)
    {
        inputs.add(time + " " + line);
    }

    @Override
    protected void onSubmit(final SubmitDecoder request)
    {
        submitted.add(request.requestId());
        input("submit " + request.requestId());
    }

    @Override
    protected void onCancel(final CancelDecoder request)
    {
        input("cancel " + request.requestId());
    }

    @Override
    protected void onControl(final ControlDecoder control)
    {
        input(control.kind() + " " + control.requestId());
    }

    @Override
    protected void onWake(final WakeDecoder wake)
    {
        input("wake");
    }

    @Override
    protected void onForward(final ForwardDecoder forward)
    {
        input("forward " + forward.rank());
    }

    @Override
    protected void onD2hComplete(final CompletionView completion)
    {
        input("complete " + completion.rank());
    }

    @Override
    protected void onBackendFault(final BackendFaultDecoder fault)
    {
        input(fault.faultClass() + " " + fault.rank());
    }

    @Override
    protected void onStepTimedOut(final StepTimedOutDecoder timeout)
    {
        input("timeout " + timeout.rank());
    }

    @Override
    protected void onBackendReset(final BackendResetDecoder reset)
    {
        input("reset, KV memory kept: " + reset.kvMemoryKept());
    }

    @Override
    protected void onTick(final TickDecoder tick)
    {
        input("tick");
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        ended.add(end.requestId());
    }

    @Override
    protected void onRefused(final RefusedDecoder refusal)
    {
        ended.add(refusal.requestId());
    }

    @Override
    protected void onRequeued(final RequeuedDecoder requeued)
    {
        preempted += requeued.reason() == RequeueReason.PREEMPTED ? 1 : 0;
    }

    @Override
    protected void onSchedule(final StepView step)
    {
        evicted += step.evictedCount();
    }

    long checksum()
    {
        return checksum.getValue();
    }

    @Override
    public void endOfBatch()
    {
        // Nothing is held back.
    }

    @Override
    public void close()
    {
        closed = true;
    }
}
