// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.GroupListener;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import org.agrona.DirectBuffer;
import org.agrona.collections.LongArrayList;

/**
 * Takes from the groups which requests have ended, in their order, for the driver to read once the engine is quiet.
 * An entry is the request's id, negative when the request did not complete.
 */
final class RequestEnds implements GroupListener
{
    private final GroupReader reader = new GroupReader();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final FreeDecoder free = new FreeDecoder();
    private final RefusedDecoder refused = new RefusedDecoder();
    private final LongArrayList ends = new LongArrayList();

    @Override
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        reader.wrap(group, offset, length);
        while (reader.next())
        {
            if (reader.templateId() == FreeDecoder.TEMPLATE_ID)
            {
                free.wrapAndApplyHeader(group, reader.offset(), header);
                final FreeReason reason = free.reason();
                final boolean completed = reason == FreeReason.LENGTH || reason == FreeReason.STOP;
                ends.addLong(completed ? free.requestId() : -free.requestId());
            }
            else if (reader.templateId() == RefusedDecoder.TEMPLATE_ID)
            {
                refused.wrapAndApplyHeader(group, reader.offset(), header);
                ends.addLong(-refused.requestId());
            }
        }
    }

    /** Ends not yet taken; read only while the engine is quiet. */
    LongArrayList pending()
    {
        return ends;
    }
}
