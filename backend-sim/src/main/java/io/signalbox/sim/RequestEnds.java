// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.GroupListener;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import org.agrona.DirectBuffer;
import org.agrona.collections.LongArrayList;

/**
 * Collects from the groups which requests have ended, in their order. The driver reads them once the engine is quiet. An
 * entry is the request's id, negative if the request did not complete. Reads no other message, since it may be all that the
 * simulating thread follows.
 */
final class RequestEnds extends EventReader implements GroupListener
{
    private final LongArrayList ends = new LongArrayList();

    RequestEnds()
    {
        super(FreeDecoder.TEMPLATE_ID, RefusedDecoder.TEMPLATE_ID);
    }

    /** A listener that reads the ends, and folds the groups for others; without others there is nothing to fold. */
    GroupListener beside(final RunListener... others)
    {
        if (others.length == 0)
        {
            return this;
        }
        final RunFold fold = RunFold.of(others);
        return (group, offset, length) ->
        {
            onGroup(group, offset, length);
            fold.onGroup(group, offset, length);
        };
    }

    @Override
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        readGroup(group, offset, length);
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        final FreeReason reason = end.reason();
        final boolean completed = reason == FreeReason.LENGTH || reason == FreeReason.STOP;
        ends.addLong(completed ? end.requestId() : -end.requestId());
    }

    @Override
    protected void onRefused(final RefusedDecoder refusal)
    {
        ends.addLong(-refusal.requestId());
    }

    /** Ends not yet taken; read only while the engine is quiet. */
    LongArrayList pending()
    {
        return ends;
    }
}
