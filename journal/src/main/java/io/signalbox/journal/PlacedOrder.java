// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.EventReader;
import io.signalbox.event.codec.PlacedDecoder;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongHashMap;

import java.util.function.LongToIntFunction;

/**
 * The order in which a group places requests. Some routers sort the requests of one batch by the first tokens of their
 * prompts; a journal without tokens has this order instead, in its {@code Placed} events.
 */
final class PlacedOrder extends EventReader implements LongToIntFunction
{
    private static final long NOT_PLACED = Integer.MAX_VALUE;

    private final Long2LongHashMap positions = new Long2LongHashMap(NOT_PLACED);

    PlacedOrder()
    {
        super(PlacedDecoder.TEMPLATE_ID);
    }

    /** Positions count from 0 in each group. */
    void read(final DirectBuffer group, final int offset, final int length)
    {
        positions.clear();
        readGroup(group, offset, length);
    }

    @Override
    protected void onPlaced(final PlacedDecoder placed)
    {
        positions.putIfAbsent(placed.requestId(), positions.size());
    }

    @Override
    public int applyAsInt(final long requestId)
    {
        return (int)positions.get(requestId);
    }
}
