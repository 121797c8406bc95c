// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.BackendFaultEncoder;
import io.signalbox.event.codec.BackendResetEncoder;
import io.signalbox.event.codec.CancelEncoder;
import io.signalbox.event.codec.ControlEncoder;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.ForwardEncoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.RouterVersionEncoder;
import io.signalbox.event.codec.StepTimedOutEncoder;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.event.codec.TickEncoder;
import io.signalbox.event.codec.WakeEncoder;
import io.signalbox.event.codec.WeightsWay;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.sbe.MessageEncoderFlyweight;

/**
 * Encodes one input at a time into its buffer. Call the method of a message, set every field in schema order, then read
 * {@link #buffer()} from 0 to {@link #length()}. Not thread-safe: use one writer per publishing thread.
 */
public final class InputWriter
{
    /** Routed-expert rows up to this many bytes are part of their {@code D2hComplete}, also in the journal. */
    public static final int MAX_INLINE_ROWS_BYTES = 4096;
    /** The rank of a {@code BackendReset} of all ranks. */
    public static final int ALL_RANKS = -1;
    private static final long NO_REQUEST = -1;
    private static final int CANCELLED = -1;

    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(8192);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final SubmitEncoder submit = new SubmitEncoder();
    private final CancelEncoder cancel = new CancelEncoder();
    private final ControlEncoder control = new ControlEncoder();
    private final WakeEncoder wake = new WakeEncoder();
    private final TickEncoder tick = new TickEncoder();
    private final ForwardEncoder forward = new ForwardEncoder();
    private final D2hCompleteEncoder d2hComplete = new D2hCompleteEncoder();
    private final BackendFaultEncoder backendFault = new BackendFaultEncoder();
    private final StepTimedOutEncoder stepTimedOut = new StepTimedOutEncoder();
    private final BackendResetEncoder backendReset = new BackendResetEncoder();
    private final RouterVersionEncoder routerVersion = new RouterVersionEncoder();
    private MessageEncoderFlyweight current = wake;

    public DirectBuffer buffer()
    {
        return buffer;
    }

    /** Length of the message with its SBE header. */
    public int length()
    {
        return MessageHeaderEncoder.ENCODED_LENGTH + current.encodedLength();
    }

    /**
     * Samples from all tokens, without log-probabilities and without a least number of tokens, and is not a sample of
     * another request's prompt, unless the caller says otherwise.
     */
    public SubmitEncoder submit()
    {
        current = submit;
        return submit.wrapAndApplyHeader(buffer, 0, header).topK(0).logprobs(Flag.NO).minNewTokens(0).sampleOf(NO_REQUEST);
    }

    /** Cancels the request, unless the caller says with how many tokens its answer ends. */
    public CancelEncoder cancel()
    {
        current = cancel;
        return cancel.wrapAndApplyHeader(buffer, 0, header).answerTokens(CANCELLED);
    }

    /** Its {@code way} is set for every kind but NEW_WEIGHTS. */
    public ControlEncoder control()
    {
        current = control;
        return control.wrapAndApplyHeader(buffer, 0, header).way(WeightsWay.NONE);
    }

    public WakeEncoder wake()
    {
        current = wake;
        return wake.wrapAndApplyHeader(buffer, 0, header);
    }

    public TickEncoder tick()
    {
        current = tick;
        return tick.wrapAndApplyHeader(buffer, 0, header);
    }

    public ForwardEncoder forward()
    {
        current = forward;
        return forward.wrapAndApplyHeader(buffer, 0, header);
    }

    public D2hCompleteEncoder d2hComplete()
    {
        current = d2hComplete;
        return d2hComplete.wrapAndApplyHeader(buffer, 0, header);
    }

    public BackendFaultEncoder backendFault()
    {
        current = backendFault;
        return backendFault.wrapAndApplyHeader(buffer, 0, header);
    }

    public StepTimedOutEncoder stepTimedOut()
    {
        current = stepTimedOut;
        return stepTimedOut.wrapAndApplyHeader(buffer, 0, header);
    }

    /** All ranks begin anew unless the caller names one. */
    public BackendResetEncoder backendReset()
    {
        current = backendReset;
        return backendReset.wrapAndApplyHeader(buffer, 0, header).rank(ALL_RANKS).restart(Flag.NO);
    }

    public RouterVersionEncoder routerVersion()
    {
        current = routerVersion;
        return routerVersion.wrapAndApplyHeader(buffer, 0, header);
    }
}
