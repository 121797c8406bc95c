// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WakeDecoder;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Writes down the inputs of a run, one line each, how requests ended, and a checksum over every byte of every group. */
final class RecordingJournal implements GroupJournal
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
    private final GroupReader reader = new GroupReader();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

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
        reader.wrap(group, offset, length);
        reader.next();
        inputs.add(timeNanos + " " + input(group, reader.offset()));
        while (reader.next())
        {
            output(group, reader.offset());
        }
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

    private String input(final DirectBuffer group, final int offset)
    {
        switch (reader.templateId())
        {
            case SubmitDecoder.TEMPLATE_ID:
                final long id = new SubmitDecoder().wrapAndApplyHeader(group, offset, header).requestId();
                submitted.add(id);
                return "submit " + id;
            case CancelDecoder.TEMPLATE_ID:
                return "cancel " + new CancelDecoder().wrapAndApplyHeader(group, offset, header).requestId();
            case ControlDecoder.TEMPLATE_ID:
                final ControlDecoder control = new ControlDecoder().wrapAndApplyHeader(group, offset, header);
                return control.kind() + " " + control.requestId();
            case WakeDecoder.TEMPLATE_ID:
                return "wake";
            case ForwardDecoder.TEMPLATE_ID:
                return "forward " + new ForwardDecoder().wrapAndApplyHeader(group, offset, header).rank();
            case D2hCompleteDecoder.TEMPLATE_ID:
                return "complete " + new D2hCompleteDecoder().wrapAndApplyHeader(group, offset, header).rank();
            default:
                throw new AssertionError("template " + reader.templateId() + " starts a group");
        }
    }

    private void output(final DirectBuffer group, final int offset)
    {
        if (reader.templateId() == FreeDecoder.TEMPLATE_ID)
        {
            ended.add(new FreeDecoder().wrapAndApplyHeader(group, offset, header).requestId());
        }
        else if (reader.templateId() == RefusedDecoder.TEMPLATE_ID)
        {
            ended.add(new RefusedDecoder().wrapAndApplyHeader(group, offset, header).requestId());
        }
        else if (reader.templateId() == ScheduleDecoder.TEMPLATE_ID)
        {
            final ScheduleDecoder plan = new ScheduleDecoder().wrapAndApplyHeader(group, offset, header);
            final ScheduleDecoder.PreemptedDecoder preemptedGroup = plan.preempted();
            preempted += preemptedGroup.count();
            preemptedGroup.forEach(entry -> { });
            plan.admitted().forEach(entry -> { });
            evicted += plan.evicted().count();
        }
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
