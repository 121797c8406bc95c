// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.RouterVersionDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.TickDecoder;
import io.signalbox.event.codec.WakeDecoder;
import org.agrona.DirectBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;

/** Passes each input to the scheduler's method for it. Any other message violates an invariant. */
final class InputReader extends EventReader
{
    private final Scheduler scheduler;
    private DirectBuffer chunkedRows;
    private int chunkedOffset;

    InputReader(final Scheduler scheduler)
    {
        this.scheduler = scheduler;
    }

    /** @param rows the routed-expert rows of a {@code D2hComplete} whose form is CHUNKED, else null. */
    void read(
        final DirectBuffer input, final int offset, final int length, final DirectBuffer rows, final int rowsOffset)
    {
        chunkedRows = rows;
        chunkedOffset = rowsOffset;
        readMessage(input, offset, length);
        chunkedRows = null;
    }

    @Override
    protected void onSubmit(final SubmitDecoder input)
    {
        scheduler.onSubmit(input);
    }

    @Override
    protected void onCancel(final CancelDecoder input)
    {
        scheduler.onCancel(input);
    }

    @Override
    protected void onControl(final ControlDecoder input)
    {
        scheduler.onControl(input);
    }

    @Override
    protected void onWake(final WakeDecoder input)
    {
        scheduler.planPointAt(input.timeNanos());
    }

    @Override
    protected void onTick(final TickDecoder input)
    {
        scheduler.planPointAt(input.timeNanos());
    }

    @Override
    protected void onForward(final ForwardDecoder input)
    {
        scheduler.onForward(input);
    }

    @Override
    protected void onD2hComplete(final CompletionView input)
    {
        scheduler.onD2hComplete(input, chunkedRows, chunkedOffset);
    }

    @Override
    protected void onBackendFault(final BackendFaultDecoder input)
    {
        scheduler.onBackendFault(input);
    }

    @Override
    protected void onStepTimedOut(final StepTimedOutDecoder input)
    {
        scheduler.onStepTimedOut(input);
    }

    @Override
    protected void onBackendReset(final BackendResetDecoder input)
    {
        scheduler.onBackendReset(input);
    }

    @Override
    protected void onRouterVersion(final RouterVersionDecoder input)
    {
        scheduler.onRouterVersion(input);
    }

    @Override
    protected void onOther(final MessageDecoderFlyweight message)
    {
        throw new InvariantViolation("a " + nameOf(message) + " is not an input");
    }

    @Override
    protected void onUnknown(final int template, final int length)
    {
        throw new InvariantViolation("template " + template + " is not an input");
    }
}
