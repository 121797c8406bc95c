// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.MessageNames;
import io.signalbox.experts.RequestRows;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

/** Keeps every input; none is processed. */
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

    /** The names of the inputs that are held, in order. */
    List<String> names()
    {
        return held.stream().map(input -> MessageNames.ofMessage(input, 0, input.capacity())).toList();
    }

    @Override
    public void awaitProcessed()
    {
    }

    @Override
    public long nextTickNanos()
    {
        return Long.MAX_VALUE;
    }

    @Override
    public RequestRows rows(final long requestId)
    {
        return null;
    }

    @Override
    public void rowsNotTaken(final long requestId)
    {
    }

    @Override
    public void resetRank(final int rank)
    {
        throw new AssertionError("nobody asks for it");
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
