// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.CaptureRowsDecoder;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.RouterVersionDecoder;
import io.signalbox.event.codec.RunDescriptionDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.SealDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.TickDecoder;
import io.signalbox.event.codec.VoidDecoder;
import io.signalbox.event.codec.WakeDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;

/**
 * Decodes messages and calls the method named after each. A subclass overrides the methods of the messages it needs;
 * every other message goes to {@link #onOther}. This is the only place that switches over template ids.
 *
 * <p>A decoder is valid during the call that receives it. Reading allocates nothing, and copies only what is not in an
 * array. Not thread-safe.
 */
public abstract class EventReader
{
    private static final String DECODER = "Decoder";
    private static final long ALL = -1;

    /** A bit for each template id that is read. */
    private final long templates;
    private final GroupReader messages = new GroupReader();
    /** {@code null} until something is read that is not in an array. */
    private UnsafeBuffer copy;
    private final SubmitDecoder submit = new SubmitDecoder();
    private final CancelDecoder cancel = new CancelDecoder();
    private final ControlDecoder control = new ControlDecoder();
    private final WakeDecoder wake = new WakeDecoder();
    private final TickDecoder tick = new TickDecoder();
    private final ForwardDecoder forward = new ForwardDecoder();
    private final CompletionView d2hComplete = new CompletionView();
    private final BackendFaultDecoder backendFault = new BackendFaultDecoder();
    private final StepTimedOutDecoder stepTimedOut = new StepTimedOutDecoder();
    private final BackendResetDecoder backendReset = new BackendResetDecoder();
    private final RouterVersionDecoder routerVersion = new RouterVersionDecoder();
    private final AcceptedDecoder accepted = new AcceptedDecoder();
    private final RefusedDecoder refused = new RefusedDecoder();
    private final PlacedDecoder placed = new PlacedDecoder();
    private final StepView schedule = new StepView();
    private final CommitView commit = new CommitView();
    private final FreeDecoder free = new FreeDecoder();
    private final DigestDecoder digest = new DigestDecoder();
    private final RequeuedDecoder requeued = new RequeuedDecoder();
    private final PausedDecoder paused = new PausedDecoder();
    private final ContinuedDecoder continued = new ContinuedDecoder();
    private final WithdrawnDecoder withdrawn = new WithdrawnDecoder();
    private final NewWeightsDecoder newWeights = new NewWeightsDecoder();
    private final RunDescriptionDecoder runDescription = new RunDescriptionDecoder();
    private final CaptureRowsDecoder captureRows = new CaptureRowsDecoder();
    private final SealDecoder seal = new SealDecoder();
    private final VoidDecoder voided = new VoidDecoder();

    /** Reads every message. */
    protected EventReader()
    {
        templates = ALL;
    }

    /** Reads the messages with these template ids, which are below 64, and skips the others. */
    protected EventReader(final int... templateIds)
    {
        long wanted = 0;
        for (final int id : templateIds)
        {
            wanted |= 1L << id;
        }
        templates = wanted;
    }

    /**
     * Reads every message of a group: the input, then its outputs.
     *
     * @throws IllegalArgumentException if a message's length leaves the group.
     */
    public final void readGroup(final DirectBuffer group, final int offset, final int length)
    {
        final byte[] bytes = group.byteArray();
        if (bytes == null)
        {
            readGroup(copied(group, offset, length), 0, length);
            return;
        }
        group.boundsCheck(offset, length);
        final int shift = group.wrapAdjustment();
        final int end = offset + shift + length;
        for (int at = offset + shift; at != end;)
        {
            final int message = at + GroupWriter.LENGTH_BYTES;
            final int messageLength = message <= end ? ArrayBytes.getInt(bytes, at) : -1;
            if (messageLength < MessageHeaderDecoder.ENCODED_LENGTH || messageLength > end - message)
            {
                throw GroupReader.leaving(messageLength, at - shift);
            }
            final long header = ArrayBytes.getLong(bytes, message);
            if (isRead(header))
            {
                read(group, message - shift, messageLength, header);
            }
            at = message + messageLength;
        }
    }

    /**
     * Reads the first message of a group only.
     *
     * @throws IllegalArgumentException if its length leaves the group.
     */
    public final void readInput(final DirectBuffer group, final int offset, final int length)
    {
        if (messages.wrap(group, offset, length).next())
        {
            readMessage(group, messages.offset(), messages.messageLength());
        }
    }

    /**
     * Reads one message that is not in a group.
     *
     * @param offset position of its SBE header.
     * @param length its length, header included.
     * @throws IllegalArgumentException if the length is below that of a header.
     */
    public final void readMessage(final DirectBuffer buffer, final int offset, final int length)
    {
        if (length < MessageHeaderDecoder.ENCODED_LENGTH)
        {
            throw new IllegalArgumentException("a message of " + length + " bytes at byte " + offset +
                " is shorter than its header of " + MessageHeaderDecoder.ENCODED_LENGTH + " bytes");
        }
        final byte[] bytes = buffer.byteArray();
        if (bytes == null)
        {
            readMessage(copied(buffer, offset, length), 0, length);
            return;
        }
        buffer.boundsCheck(offset, length);
        final long header = ArrayBytes.getLong(bytes, offset + buffer.wrapAdjustment());
        if (isRead(header))
        {
            read(buffer, offset, length, header);
        }
    }

    /** Bytes outside of an array are read from a copy. */
    private DirectBuffer copied(final DirectBuffer source, final int offset, final int length)
    {
        copy = copy == null || copy.capacity() < length ? new UnsafeBuffer(new byte[length]) : copy;
        copy.putBytes(0, source, offset, length);
        return copy;
    }

    /** A field of the header, whose 8 bytes are read at once. */
    private static int field(final long header, final int fieldOffset)
    {
        return (int)(header >>> fieldOffset * Byte.SIZE) & 0xFFFF;
    }

    private boolean isRead(final long header)
    {
        final int template = field(header, MessageHeaderDecoder.templateIdEncodingOffset());
        return templates == ALL || (templates >>> template & 1) != 0;
    }

    /** The messages of almost every group; apart from the others, so that compilers put it in place of its call. */
    private void read(final DirectBuffer buffer, final int offset, final int length, final long header)
    {
        final int body = offset + MessageHeaderDecoder.ENCODED_LENGTH;
        final int block = field(header, MessageHeaderDecoder.blockLengthEncodingOffset());
        final int version = field(header, MessageHeaderDecoder.versionEncodingOffset());
        switch (field(header, MessageHeaderDecoder.templateIdEncodingOffset()))
        {
            case ForwardDecoder.TEMPLATE_ID -> onForward(forward.wrap(buffer, body, block, version));
            case D2hCompleteDecoder.TEMPLATE_ID ->
                onD2hComplete(d2hComplete.wrap(buffer, body, block, version, offset + length));
            case ScheduleDecoder.TEMPLATE_ID -> onSchedule(schedule.wrap(buffer, body, block, version, offset + length));
            case CommitDecoder.TEMPLATE_ID -> onCommit(commit.wrap(buffer, body, block, version, offset + length));
            default -> readRare(buffer, offset, length, header);
        }
    }

    private void readRare(final DirectBuffer buffer, final int offset, final int length, final long header)
    {
        final int template = field(header, MessageHeaderDecoder.templateIdEncodingOffset());
        final int body = offset + MessageHeaderDecoder.ENCODED_LENGTH;
        final int block = field(header, MessageHeaderDecoder.blockLengthEncodingOffset());
        final int version = field(header, MessageHeaderDecoder.versionEncodingOffset());
        MessageTail.check(template, buffer, body + block, offset + length);
        switch (template)
        {
            case SubmitDecoder.TEMPLATE_ID -> onSubmit(submit.wrap(buffer, body, block, version));
            case CancelDecoder.TEMPLATE_ID -> onCancel(cancel.wrap(buffer, body, block, version));
            case ControlDecoder.TEMPLATE_ID -> onControl(control.wrap(buffer, body, block, version));
            case WakeDecoder.TEMPLATE_ID -> onWake(wake.wrap(buffer, body, block, version));
            case TickDecoder.TEMPLATE_ID -> onTick(tick.wrap(buffer, body, block, version));
            case BackendFaultDecoder.TEMPLATE_ID -> onBackendFault(backendFault.wrap(buffer, body, block, version));
            case StepTimedOutDecoder.TEMPLATE_ID -> onStepTimedOut(stepTimedOut.wrap(buffer, body, block, version));
            case BackendResetDecoder.TEMPLATE_ID -> onBackendReset(backendReset.wrap(buffer, body, block, version));
            case RouterVersionDecoder.TEMPLATE_ID -> onRouterVersion(routerVersion.wrap(buffer, body, block, version));
            case AcceptedDecoder.TEMPLATE_ID -> onAccepted(accepted.wrap(buffer, body, block, version));
            case RefusedDecoder.TEMPLATE_ID -> onRefused(refused.wrap(buffer, body, block, version));
            case PlacedDecoder.TEMPLATE_ID -> onPlaced(placed.wrap(buffer, body, block, version));
            case FreeDecoder.TEMPLATE_ID -> onFree(free.wrap(buffer, body, block, version));
            case DigestDecoder.TEMPLATE_ID -> onDigest(digest.wrap(buffer, body, block, version));
            case RequeuedDecoder.TEMPLATE_ID -> onRequeued(requeued.wrap(buffer, body, block, version));
            case WithdrawnDecoder.TEMPLATE_ID -> onWithdrawn(withdrawn.wrap(buffer, body, block, version));
            case PausedDecoder.TEMPLATE_ID -> onPaused(paused.wrap(buffer, body, block, version));
            case ContinuedDecoder.TEMPLATE_ID -> onContinued(continued.wrap(buffer, body, block, version));
            case NewWeightsDecoder.TEMPLATE_ID -> onNewWeights(newWeights.wrap(buffer, body, block, version));
            case RunDescriptionDecoder.TEMPLATE_ID ->
                onRunDescription(runDescription.wrap(buffer, body, block, version));
            case CaptureRowsDecoder.TEMPLATE_ID -> onCaptureRows(captureRows.wrap(buffer, body, block, version));
            case SealDecoder.TEMPLATE_ID -> onSeal(seal.wrap(buffer, body, block, version));
            case VoidDecoder.TEMPLATE_ID -> onVoid(voided.wrap(buffer, body, block, version));
            default -> onUnknown(template, length);
        }
    }

    protected void onSubmit(final SubmitDecoder message)
    {
        onOther(message);
    }

    protected void onCancel(final CancelDecoder message)
    {
        onOther(message);
    }

    protected void onControl(final ControlDecoder message)
    {
        onOther(message);
    }

    protected void onWake(final WakeDecoder message)
    {
        onOther(message);
    }

    protected void onTick(final TickDecoder message)
    {
        onOther(message);
    }

    protected void onForward(final ForwardDecoder message)
    {
        onOther(message);
    }

    protected void onD2hComplete(final CompletionView completion)
    {
        onOther(completion.message());
    }

    protected void onBackendFault(final BackendFaultDecoder message)
    {
        onOther(message);
    }

    protected void onStepTimedOut(final StepTimedOutDecoder message)
    {
        onOther(message);
    }

    protected void onBackendReset(final BackendResetDecoder message)
    {
        onOther(message);
    }

    protected void onRouterVersion(final RouterVersionDecoder message)
    {
        onOther(message);
    }

    protected void onAccepted(final AcceptedDecoder message)
    {
        onOther(message);
    }

    protected void onRefused(final RefusedDecoder message)
    {
        onOther(message);
    }

    protected void onPlaced(final PlacedDecoder message)
    {
        onOther(message);
    }

    protected void onSchedule(final StepView step)
    {
        onOther(step.message());
    }

    protected void onCommit(final CommitView commit)
    {
        onOther(commit.message());
    }

    protected void onFree(final FreeDecoder message)
    {
        onOther(message);
    }

    protected void onDigest(final DigestDecoder message)
    {
        onOther(message);
    }

    protected void onRequeued(final RequeuedDecoder message)
    {
        onOther(message);
    }

    protected void onWithdrawn(final WithdrawnDecoder message)
    {
        onOther(message);
    }

    protected void onPaused(final PausedDecoder message)
    {
        onOther(message);
    }

    protected void onContinued(final ContinuedDecoder message)
    {
        onOther(message);
    }

    protected void onNewWeights(final NewWeightsDecoder message)
    {
        onOther(message);
    }

    protected void onRunDescription(final RunDescriptionDecoder message)
    {
        onOther(message);
    }

    protected void onCaptureRows(final CaptureRowsDecoder message)
    {
        onOther(message);
    }

    protected void onSeal(final SealDecoder message)
    {
        onOther(message);
    }

    protected void onVoid(final VoidDecoder message)
    {
        onOther(message);
    }

    /** The schema's name of a message. */
    protected static String nameOf(final MessageDecoderFlyweight message)
    {
        final String type = message.getClass().getSimpleName();
        return type.substring(0, type.length() - DECODER.length());
    }

    /** Receives each message whose method is not overridden; ignores it by default. */
    protected void onOther(final MessageDecoderFlyweight message)
    {
    }

    /**
     * Receives each message that this version of the schema does not have; ignores it by default.
     *
     * @param template its template id.
     * @param length   its length in bytes, SBE header included.
     */
    protected void onUnknown(final int template, final int length)
    {
    }
}
