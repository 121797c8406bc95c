// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import org.agrona.collections.LongArrayList;

/**
 * Collects which requests have ended, in their order. The driver reads them once the engine is quiet.
 * An entry is the request's id, negative if the request did not complete.
 */
final class RequestEnds implements RunListener
{
    private final LongArrayList ends = new LongArrayList();

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        final FreeReason reason = end.reason();
        final boolean completed = reason == FreeReason.LENGTH || reason == FreeReason.STOP;
        ends.addLong(completed ? end.requestId() : -end.requestId());
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder refusal)
    {
        ends.addLong(-refusal.requestId());
    }

    /** Ends not yet taken; read only while the engine is quiet. */
    LongArrayList pending()
    {
        return ends;
    }
}
