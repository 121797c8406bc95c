// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.experts.RequestRows;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

/** Keeps what it is offered; nothing ever passes. */
final class HoldingEngine implements Engine
{
    final List<UnsafeBuffer> held = new ArrayList<>();

    @Override
    public synchronized void offer(
        final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        final byte[] copy = new byte[length];
        input.getBytes(offset, copy);
        held.add(new UnsafeBuffer(copy));
    }

    /** What kind of inputs are held, in order. */
    List<Integer> templates()
    {
        final MessageHeaderDecoder header = new MessageHeaderDecoder();
        return held.stream().map(input -> header.wrap(input, 0).templateId()).toList();
    }

    @Override
    public void awaitProcessed()
    {
    }

    @Override
    public RequestRows rows(final long requestId)
    {
        return null;
    }

    @Override
    public String describeDiscards()
    {
        return "";
    }

    @Override
    public void close()
    {
    }
}
