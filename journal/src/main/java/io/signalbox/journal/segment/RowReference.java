// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.MessageFormatException;
import io.signalbox.event.codec.MessageHeaderDecoder;
import org.agrona.DirectBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;

/** Whether a group's input refers to the rows collected ahead of it, and to no others. */
public final class RowReference extends EventReader
{
    private static final int SHORTEST_GROUP_BYTES = GroupWriter.LENGTH_BYTES + MessageHeaderDecoder.ENCODED_LENGTH;

    private final RowAssembly rows;
    private boolean fits;

    public RowReference(final RowAssembly rows)
    {
        this.rows = rows;
    }

    public boolean fits(final DirectBuffer group)
    {
        fits = false;
        try
        {
            readInput(group, 0, group.capacity());
        }
        catch (final MessageFormatException e)
        {
            return false;
        }
        catch (final IllegalArgumentException e)
        {
            // A length that leaves the group: the reader of the group refuses it.
            return rows.isEmpty() && group.capacity() >= SHORTEST_GROUP_BYTES;
        }
        return fits;
    }

    @Override
    protected void onD2hComplete(final CompletionView completion)
    {
        fits = completion.checked().isChunked() ? rows.fits(completion) : rows.isEmpty();
    }

    @Override
    protected void onOther(final MessageDecoderFlyweight message)
    {
        fits = rows.isEmpty();
    }

    @Override
    protected void onUnknown(final int template, final int length)
    {
        fits = rows.isEmpty();
    }
}
